package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/compose/docs"
	"example.org/compose/internal/manual"
	"example.org/compose/internal/screen"
	"example.org/compose/internal/strictjson"
)

type helpCommand struct {
	Topic []string `arg:"" optional:"" name:"topic" placeholder:"TOPIC" help:"A topic, a code of an error or conflict, or a command."`
}

func (c *helpCommand) Help() string {
	return `Without a topic, lists them all.

  compose help
  compose help recovery
  compose help LOCAL_MODIFICATION
  compose help catalog check`
}

func (c *helpCommand) brief() {}

func (c *helpCommand) Run(s *session) error {
	topic := strings.Join(c.Topic, " ")
	if len(c.Topic) == 0 {
		return s.answer(helpList(), helpListText, exitDone)
	}
	text, isCommand, err := helpOf(s, topic)
	if err != nil {
		return err
	}
	doc := strictjson.Obj(strictjson.F("topic", strictjson.Str(topic)), strictjson.F("text", strictjson.Str(text)))
	return s.answer(doc, func(w *textWriter) {
		if isCommand {
			w.WriteString(text)
			return
		}
		blocksText(w, manual.Blocks(text))
	}, exitDone)
}

// helpOf returns the text of a topic, a code or a command.
func helpOf(s *session, topic string) (text string, isCommand bool, err error) {
	if text := manual.TopicText(topic); text != "" && slices.ContainsFunc(manual.Topics(), func(t manual.Topic) bool { return t.Name == topic }) {
		return text, false, nil
	}
	if text := manual.CodeText(docs.Codes, strings.ToUpper(topic)); text != "" {
		return text + "\n", false, nil
	}
	words := strings.Fields(topic)
	program, err := described(nil)
	if err != nil {
		return "", false, err
	}
	if program.Find(words...) == nil {
		return "", false, unknownTopic(topic, program)
	}
	var out bytes.Buffer
	run(append(words, "--help"), &out, s.stderr)
	return out.String(), true, nil
}

// unknownTopic names what may have been meant.
func unknownTopic(topic string, program *manual.Program) error {
	near := nearTopics(topic, program)
	msg := fmt.Sprintf("there is no topic, code or command %q", topic)
	if len(near) == 0 {
		return &usageError{msg: msg + "; compose help lists them", hint: "compose help"}
	}
	return &usageError{msg: msg + "; did you mean " + strings.Join(near, " or ") + "?", hint: "compose help " + near[0]}
}

// nearTopics returns up to three names that are a slip or two away, or that begin so.
func nearTopics(topic string, program *manual.Program) []string {
	type candidate struct {
		name  string
		slips int
	}
	var found []candidate
	wanted := strings.ToLower(topic)
	for _, c := range allTopics(program) {
		folded := strings.ToLower(c.Word)
		if n, near := distance(wanted, folded, min(max(len(wanted)/3, 2), len(wanted)-1)); near {
			found = append(found, candidate{c.Word, n})
		} else if len(wanted) > 2 && strings.HasPrefix(folded, wanted) {
			found = append(found, candidate{c.Word, len(wanted)})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.slips, b.slips) })
	var names []string
	for _, c := range found[:min(len(found), mostNear)] {
		names = append(names, c.name)
	}
	return names
}

// allTopics is what compose help takes: topics, commands, codes.
func allTopics(program *manual.Program) []manual.Candidate {
	var list []manual.Candidate
	for _, t := range manual.Topics() {
		list = append(list, manual.Candidate{Word: t.Name, About: t.Summary})
	}
	for _, c := range program.Commands {
		list = append(list, manual.Candidate{Word: c.Name(), About: c.Summary})
	}
	for _, code := range manual.Codes(docs.Codes) {
		list = append(list, manual.Candidate{Word: code})
	}
	return list
}

// helpCandidates completes the words behind compose help: codes only where one is begun, since there are many.
func helpCandidates(at *manual.Place) []manual.Candidate {
	program, err := described(nil)
	if err != nil {
		return nil
	}
	if len(at.Args) > 0 {
		var list []manual.Candidate
		if group := program.Find(at.Args...); group != nil {
			for _, c := range group.Commands {
				list = append(list, manual.Candidate{Word: c.Words[len(c.Words)-1], About: c.Summary})
			}
		}
		return list
	}
	begun := at.Typed != "" && at.Typed == strings.ToUpper(at.Typed)
	return slices.DeleteFunc(allTopics(program), func(c manual.Candidate) bool { return !begun && c.Word == strings.ToUpper(c.Word) })
}

// helpList is the document of all topics and commands.
func helpList() strictjson.Value {
	type entry struct{ name, summary string }
	list := func(entries []entry) strictjson.Value {
		return strictjson.List(entries, func(e entry) strictjson.Value {
			return strictjson.Obj(strictjson.F("name", strictjson.Str(e.name)), strictjson.F("summary", strictjson.Str(e.summary)))
		})
	}
	var topics, all []entry
	for _, t := range manual.Topics() {
		topics = append(topics, entry{t.Name, t.Summary})
	}
	for _, c := range commands() {
		all = append(all, entry{c.name, c.help})
	}
	return strictjson.Obj(strictjson.F("topics", list(topics)), strictjson.F("commands", list(all)))
}

func helpListText(w *textWriter) {
	const column = 15
	w.line("compose help TOPIC, compose help COMMAND, compose help CODE")
	w.heading("Topics")
	for _, t := range manual.Topics() {
		w.hanging(2, spans("%s ", code(fmt.Sprintf("%-*s", column, t.Name))), "%s", t.Summary)
	}
	w.heading("Commands")
	for _, c := range commands() {
		w.hanging(2, spans("%s ", code(fmt.Sprintf("%-*s", column, c.name))), "%s", c.help)
	}
	w.gap()
	w.prose(0, "An error ends in its code in brackets, such as [TARGET_BUSY]; a conflict and a fault have theirs beside them. compose help CODE says what it means and what to do.")
}

// blocksText shows a text within the width of the screen.
func blocksText(w *textWriter, blocks []manual.Block) {
	for i, b := range blocks {
		if i > 0 && !(b.Kind == manual.Bullet && blocks[i-1].Kind == manual.Bullet) {
			w.gap()
		}
		switch b.Kind {
		case manual.Heading:
			w.heading("%s", b.Text)
		case manual.Bullet:
			w.bullet(2, "%s", b.Text)
		case manual.Verbatim:
			style := screen.Cyan
			if strings.HasPrefix(b.Text, "{") { // no commands: a document
				style = screen.Plain
			}
			for line := range strings.Lines(b.Text) {
				w.put(4, spans("%s", marked{style, strings.TrimRight(line, "\n")}))
			}
		default:
			w.prose(0, "%s", b.Text)
		}
	}
}
