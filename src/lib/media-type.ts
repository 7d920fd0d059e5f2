const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}([ \\t]*;[ \\t]*${TOKEN}=(${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))*$`,
)

/**
 * Keeps the media type of a file as it was given, unless it could not be sent back in a header
 * (RFC 9110 §8.3.1). Uploads and archives come from somebody, so both are checked by it.
 */
export const toMediaType = (text: string): string =>
  text.length <= 255 && MEDIA_TYPE.test(text) ? text : 'application/octet-stream'

/** The media types that an `Accept` header asks for, in lower case and without parameters. */
export const acceptedTypes = (accept = ''): string[] =>
  accept
    .toLowerCase()
    .split(',')
    // `q=0` says: not this one (RFC 9110 §12.4.2).
    .filter((type) => !/;\s*q=0(\.0*)?\s*(;|$)/.test(type))
    .map((type) => type.split(';', 1)[0]?.trim() ?? '')
