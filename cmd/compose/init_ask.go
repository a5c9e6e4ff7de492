package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/scaffold"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
	"example.org/compose/schemas"
)

// askRecipe asks for the recipe, by number or id.
func (i *initialization) askRecipe() error {
	recipes := i.catalog.Recipes
	if len(recipes) == 0 {
		return &commandError{diag.New(resolver.CodeUnknownRecipe, i.command.Source, "the catalog has no recipe; name another catalog or revision")}
	}
	err := i.asker.say(func(w *textWriter) {
		name := i.catalog.Repository
		if name == "" {
			name = i.command.Source
		}
		w.line("%s for the catalog %s at %s", strong(i.command.Config), name, w.revision(i.catalog.Revision()))
		w.prose(0, "%s", faint("Enter takes what stands in brackets or in capitals. Ctrl-D leaves, and nothing is written."))
		w.heading("Recipe")
		widest := 0
		for _, r := range recipes {
			widest = max(widest, len(r.ID))
		}
		for k, r := range recipes {
			w.hanging(1, append(spans("%2d  ", k+1), spans("%s  ", strong(fmt.Sprintf("%-*s", widest, r.ID)))...), "%s", r.Summary)
		}
	})
	if err != nil {
		return err
	}
	prompt, fallback := "Number or id:", (*string)(nil)
	if len(recipes) == 1 {
		only := string(recipes[0].ID)
		prompt, fallback = "Number or id ["+only+"]:", &only
	}
	i.draft.Recipe, err = ask(i.asker, prompt, fallback, func(text string) (string, error) {
		if n, err := strconv.Atoi(text); err == nil && 1 <= n && n <= len(recipes) {
			return string(recipes[n-1].ID), nil
		}
		if i.catalog.Recipe(lockv2.RecipeID(text)) != nil {
			return text, nil
		}
		return "", &usageError{msg: fmt.Sprintf("there is no recipe %q; type a number from 1 to %d, or an id", text, len(recipes))}
	})
	return err
}

// askComponents asks which default components to keep and which optional ones to add. What was answered before is what Enter takes.
func (i *initialization) askComponents() error {
	recipe := i.catalog.Recipe(lockv2.RecipeID(i.draft.Recipe))
	include, exclude := []string{}, []string{}
	each := func(title, question string, ids []lockv2.ComponentID, kept func(id string) bool, take func(id string, yes bool)) error {
		for k, id := range ids {
			err := i.asker.say(func(w *textWriter) {
				if k == 0 {
					w.line("")
					w.line("%s", strong(title))
				}
				w.prose(2, "%s: %s", strong(id), i.catalog.Component(id).Summary)
			})
			if err != nil {
				return err
			}
			yes, err := i.asker.confirm("  "+question, kept(string(id)))
			if err != nil {
				return err
			}
			take(string(id), yes)
		}
		return nil
	}
	err := each("In by default", "Keep it?", recipe.Default,
		func(id string) bool { return !slices.Contains(i.draft.Exclude, id) },
		func(id string, yes bool) {
			if !yes {
				exclude = append(exclude, id)
			}
		})
	if err == nil {
		err = each("Optional", "Add it?", recipe.Optional,
			func(id string) bool { return slices.Contains(i.draft.Include, id) },
			func(id string, yes bool) {
				if yes {
					include = append(include, id)
				}
			})
	}
	i.draft.Include, i.draft.Exclude = include, exclude
	return err
}

// askParameters asks for what a component's parameters_schema requires, until it takes what it is given.
func (i *initialization) askParameters(id lockv2.ComponentID) error {
	component := i.catalog.Component(id)
	schema, err := schemas.Compile(*component.ParametersSchema)
	if err != nil { // a checked catalog has no such schema
		return err
	}
	err = i.asker.say(func(w *textWriter) {
		w.line("")
		w.line("%s", strong("Parameters of "+string(id)))
	})
	if err != nil {
		return err
	}
	for {
		given, found := i.draft.Parameters.Get(string(id))
		if !found {
			given = strictjson.Obj()
		}
		broken := schema.Validate(given)
		if len(broken) == 0 {
			return nil
		}
		if missing := i.missing(id); len(missing) > 0 {
			err = i.askParameter(id, missing[0])
		} else {
			err = i.askAgain(id, broken[0])
		}
		if err != nil {
			return err
		}
	}
}

// askParameter asks for one parameter.
func (i *initialization) askParameter(id lockv2.ComponentID, p scaffold.Parameter) error {
	if p.Description != "" {
		if err := i.asker.say(func(w *textWriter) { w.prose(2, "%s", faint(p.Description)) }); err != nil {
			return err
		}
	}
	prompt := fmt.Sprintf("  %s (%s)", p.Name, p.Offer())
	if p.Default != nil {
		prompt += " [" + scaffold.Shown(*p.Default) + "]"
	}
	v, err := ask(i.asker, prompt+":", p.Default, p.Read)
	if err == nil {
		i.draft.Set(id, p.Name, v)
	}
	return err
}

// askAgain says why the parameters are refused, and asks for the one that it is about, or, where it is about no single one, for
// all of them as JSON.
func (i *initialization) askAgain(id lockv2.ComponentID, broken schemas.Violation) error {
	if err := i.asker.say(func(w *textWriter) {
		w.prose(2, "%s", caution(strings.TrimPrefix(broken.Pointer+": "+broken.Message, ": ")))
	}); err != nil {
		return err
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(broken.Pointer, "/"), "/")
	name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
	for _, p := range i.parametersOf(id) {
		if broken.Pointer != "" && p.Name == name {
			return i.askParameter(id, p)
		}
	}
	v, err := ask(i.asker, "  all parameters (a JSON object):", nil, func(text string) (strictjson.Value, error) {
		doc, err := strictjson.Parse([]byte(text), 0)
		if err == nil && doc.Kind != strictjson.Object {
			err = errors.New("it is no object")
		}
		if err != nil {
			return doc, &usageError{msg: "type a JSON object, such as {\"name\": \"value\"}: " + err.Error()}
		}
		return doc, nil
	})
	if err == nil {
		i.draft.SetAll(id, v)
	}
	return err
}
