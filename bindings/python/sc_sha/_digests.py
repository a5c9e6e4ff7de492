"""The two values. Each is equal only to values of its own type."""


class _Digest:
    __slots__ = ("_bytes",)

    def __init__(self, value):
        """value is 32 bytes or 64 hexadecimal digits."""
        raw = bytes.fromhex(value) if isinstance(value, str) else bytes(value)
        if len(raw) != 32 or isinstance(value, str) and len(value) != 64:
            raise ValueError("want 32 bytes or 64 hexadecimal digits")
        object.__setattr__(self, "_bytes", raw)

    def __setattr__(self, name, value):
        raise AttributeError("a digest does not change")

    @property
    def value(self):
        """64 lower-case hexadecimal digits."""
        return self._bytes.hex()

    def to_hex(self):
        return self.value

    def as_bytes(self):
        return self._bytes

    def __str__(self):
        return self.value

    def __repr__(self):
        return "%s(%r)" % (type(self).__name__, self.value)

    def __eq__(self, other):
        return self._bytes == other._bytes if type(other) is type(self) else NotImplemented

    def __hash__(self):
        return hash((type(self), self._bytes))

    def __reduce__(self):
        return type(self), (self.value,)


class TemplateSha256(_Digest):
    """The identity of a text."""

    __slots__ = ()
    kind = "template"


class CompositionSha256(_Digest):
    """The identity of a resolved composition."""

    __slots__ = ()
    kind = "composition"
