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

/**
 * Whether an `Accept` header prefers a media type to JSON (RFC 9110 §12.5.1). Where both are wanted
 * equally, JSON it is: generated clients list every type of an operation, and read JSON.
 */
export const prefersToJson = (accept: string | undefined, type: string): boolean =>
  acceptedQuality(accept, type) > acceptedQuality(accept, 'application/json')

/** The weight of the most specific range that covers a type, from 0 to 1; 0 if none does. */
function acceptedQuality(accept: string | undefined, type: string): number {
  const ranges = (accept?.trim() || '*/*').toLowerCase().split(',').map(parseMediaRange)
  const [group] = type.split('/', 1)
  const range = [type, `${group}/*`, '*/*']
    .map((covering) => ranges.find(({ name }) => name === covering))
    .find((one) => one !== undefined)
  return range?.quality ?? 0
}

function parseMediaRange(text: string): { name: string; quality: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q=')) ?? ''
  const quality = Number.parseFloat(weight.slice('q='.length))
  return { name, quality: Number.isNaN(quality) ? 1 : Math.min(Math.max(quality, 0), 1) }
}
