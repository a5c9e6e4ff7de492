package main

import (
	"context"
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/signature"
	"example.org/compose/internal/starter"
	"example.org/compose/policy"
	"example.org/compose/validator"
)

// codeURLNotAllowed is the code of a source that the target's policy does not list.
const codeURLNotAllowed = "SOURCE_URL_NOT_ALLOWED"

const maxSigners = 1 << 20

// localSources is the entry of a policy that allows any repository on disk.
const localSources = "local"

// signedFlag asks for a signature of the bound commit.
type signedFlag struct {
	RequireSigned []string `sep:"none" placeholder:"FILE" help:"The commit must be signed by one of these: an allowed-signers file of git's, or OpenPGP keys; may be repeated."`
}

// usePolicy reads the policy of the target for what follows.
func (c *sourceFlags) usePolicy(root *rootfs.Root) (err error) {
	c.policy, err = validator.LoadPolicy(root)
	return err
}

// checkLocation holds the source against the policy, before anything of it is opened.
func (c *sourceFlags) checkLocation() error {
	if c.policy == nil || c.policy.Sources == nil {
		return nil
	}
	u, remote, err := catalog.ParseLocation(c.Source)
	if err != nil {
		return err
	}
	switch {
	case remote && c.allows(u),
		c.Source == starter.Location && slices.Contains(c.policy.Sources, starter.Location),
		!remote && c.Source != starter.Location && slices.Contains(c.policy.Sources, localSources):
		return nil
	}
	name := "a repository on disk"
	if remote || c.Source == starter.Location {
		name = catalog.Shown(c.Source)
	}
	return &commandError{diag.New(codeURLNotAllowed, policy.Path+"#/sources",
		"does not allow "+name+" as a source; name one that it lists with --source, or let someone who may decide that add this one")}
}

// allows reports whether the policy lists a URL, also one that a redirect leads to.
func (c *sourceFlags) allows(u giturl.URL) bool {
	return c.policy == nil || c.policy.Sources == nil ||
		slices.ContainsFunc(c.policy.Sources, func(entry string) bool { return giturl.Match(entry, u) })
}

// checkSigned makes sure that the bound commit is signed by those whom the flags name, and by those whom the policy names.
func (c *signedFlag) checkSigned(ctx context.Context, source *catalog.Source, p *policy.Policy) error {
	var needed []*signature.Signers
	if p.RequiresSignature() {
		signers, err := policySigners(p)
		if err != nil {
			return err
		}
		needed = append(needed, signers)
	}
	if len(c.RequireSigned) > 0 {
		signers, err := c.signers(ctx)
		if err != nil {
			return err
		}
		needed = append(needed, signers)
	}
	if len(needed) == 0 {
		return nil
	}
	commit, err := source.CommitObject(ctx)
	if err != nil {
		return err
	}
	for _, signers := range needed {
		if _, err := signers.Verify(ctx, string(source.Revision()), commit); err != nil {
			return err
		}
	}
	return nil
}

// signers reads the files of the flags, one list of all.
func (c *signedFlag) signers(ctx context.Context) (*signature.Signers, error) {
	all := &signature.Signers{}
	for _, name := range c.RequireSigned {
		b, err := readFile(ctx, name, maxSigners)
		if err != nil {
			return nil, err
		}
		some, err := signature.Parse(name, b)
		if err != nil {
			return nil, err
		}
		all.Add(some)
	}
	return all, nil
}

// policySigners reads the signers of a policy, one list of all.
func policySigners(p *policy.Policy) (*signature.Signers, error) {
	all := &signature.Signers{}
	texts := map[string][]string{"/openpgp": p.OpenPGP}
	if p.Signers != nil {
		texts["/signers"] = []string{strings.Join(p.Signers, "\n")}
	}
	for _, pointer := range []string{"/signers", "/openpgp"} {
		for _, text := range texts[pointer] {
			some, err := signature.Parse(policy.Path+"#"+pointer, []byte(text))
			if err != nil {
				return nil, err
			}
			all.Add(some)
		}
	}
	return all, nil
}
