import { dayIn, normalizeTimestamp } from '#lib/days.ts'
import { giveWay } from '#lib/turns.ts'
import { UnreadableFileError } from './unreadable-file-error.ts'

/** An object of untrusted JSON: any member may be missing or of any type. */
export type JsonObject = Readonly<Record<string, unknown>>

export const asJsonObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

export const asJsonObjects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.map(asJsonObject) : []

/** A string, or a number as a string; null for anything else and for blank strings. */
export const asText = (value: unknown): string | null => {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** A number, or a text that is one; NaN for anything else, of which `Number` may throw. */
export const asNumber = (value: unknown): number => Number(asText(value) ?? Number.NaN)

/**
 * The day of a timestamp in a time zone; a text that is none stays as it is. These tools write the
 * year 1 for no date.
 */
export const asDay = (value: unknown, timezone: string): string | null => {
  const written = asText(value)
  if (written === null || written.startsWith('0001-')) return null
  const timestamp = normalizeTimestamp(written)
  return timestamp === undefined ? written : dayIn(timezone, timestamp)
}

/** The day on which something is due, and the time if the value is a timestamp. */
export const asDue = (value: unknown, timezone: string) => ({
  due_date: asDay(value, timezone),
  due_at: normalizeTimestamp(asText(value) ?? '') ?? null,
})

/**
 * In characters. An element is parsed into memory at once, and nothing else runs meanwhile: a
 * mebibyte takes up to 30 ms.
 */
export const MAX_ELEMENT_LENGTH = 1_048_576
const MAX_DEPTH = 100

/** An element of a list, or a member of an object that is no list. */
export interface JsonElement {
  /** The position of the object, in a list of objects whose members are read; otherwise 0. */
  object: number
  /** The name of the member that the element is in or is; null if it is in no object. */
  member: string | null
  value: unknown
}

/**
 * Streams the elements of a JSON file, with one of them in memory at a time: of `[a, b]` a and b,
 * of `{"x": [a, b], "y": c}` a and b of x, then c of y. Several lists or objects may follow each other, as
 * `gh api --paginate` writes them. Throws `UnreadableFileError`.
 */
export const readJsonElements = (text: AsyncIterable<string>): AsyncGenerator<JsonElement> =>
  readElements(text, 'elements')

/** Streams the elements of each object in a list: of `[{"x": [a, b], "y": c}]` a, b and c. */
export const readJsonObjectElements = (text: AsyncIterable<string>): AsyncGenerator<JsonElement> =>
  readElements(text, 'members')

/** Streams the values that follow each other in a file, such as an object on each line. */
export const readJsonValues = (text: AsyncIterable<string>): AsyncGenerator<JsonElement> =>
  readElements(text, 'values')

/** What is streamed: elements of a list, the members of its objects, or values that follow each other. */
type ScanMode = 'elements' | 'members' | 'values'

async function* readElements(
  text: AsyncIterable<string>,
  mode: ScanMode,
): AsyncGenerator<JsonElement> {
  const scanner = createElementScanner(mode)
  for await (const chunk of text) {
    for (const element of scanner.scan(chunk)) {
      yield element
      await giveWay()
    }
  }
  if (!scanner.isComplete()) throw malformed()
}

/** Scans each character once, whatever the file holds. */
function createElementScanner(mode: ScanMode) {
  /** The open brackets, outermost first. They begin with `frame`. */
  let brackets = ''
  /** The open brackets that belong to no element: of the file, its objects and their lists. */
  let frame = ''
  let isInString = false
  let isEscaped = false
  let member: string | null = null
  let object = 0
  /** The part of the current element or member name that earlier chunks held. */
  let piece = ''
  let count = 0
  let isComplete = false

  const isInObject = () => frame.endsWith('{')

  function assertLength(length: number): void {
    if (length <= MAX_ELEMENT_LENGTH) return
    throw new UnreadableFileError('entry_too_long', { number: count + 1 })
  }

  function parseElement(text: string): JsonElement | undefined {
    if (text.trim() === '') return undefined
    assertLength(text.length)
    if (isInObject() && member === null) throw malformed()
    count += 1
    return { object, member, value: parseJson(text) }
  }

  /** `text` is what stands before the bracket. Returns whether the bracket belongs to no element. */
  function openBracket(sign: string, text: () => string): boolean {
    const isStart = brackets === frame
    isComplete = false
    brackets += sign
    if (brackets.length > MAX_DEPTH) throw new UnreadableFileError('json_too_deep')
    if (!isStart) return false
    // Otherwise one element would follow another without a comma.
    if (text().trim() !== '' || (isInObject() && member === null)) throw malformed()
    if (mode === 'values') return false
    const isObject = mode === 'members' && frame === '[' && sign === '{'
    if (frame !== '' && !isObject && !(isInObject() && sign === '[')) return false
    if (isObject) object += 1
    frame = brackets
    return true
  }

  function closeFrame(): void {
    frame = frame.slice(0, -1)
    member = null
    isComplete = frame === ''
  }

  function* scan(chunk: string): Generator<JsonElement> {
    let start = 0
    const textBefore = (at: number) => piece + chunk.slice(start, at)
    const startAfter = (at: number) => {
      piece = ''
      start = at + 1
    }
    for (let at = 0; at < chunk.length; at += 1) {
      const sign = chunk.charAt(at)
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (sign === '\\') isEscaped = true
        else if (sign === '"') isInString = false
      } else if (isComplete && (mode !== 'elements' || !'[{'.includes(sign))) {
        if (sign.trim() !== '') throw malformed()
      } else if (sign === '"') isInString = true
      else if (sign === '[' || sign === '{') {
        if (openBracket(sign, () => textBefore(at))) startAfter(at)
      } else if (sign === ']' || sign === '}') {
        if (!brackets.endsWith(sign === ']' ? '[' : '{')) throw malformed()
        const isFrame = brackets === frame
        brackets = brackets.slice(0, -1)
        const isValue = mode === 'values' && brackets === ''
        if (!isFrame && !isValue) continue
        const element = parseElement(textBefore(isValue ? at + 1 : at))
        if (element) yield element
        if (isFrame) closeFrame()
        startAfter(at)
      } else if (brackets !== frame || frame === '') continue
      else if (sign === ',') {
        const element = parseElement(textBefore(at))
        if (element) yield element
        startAfter(at)
        if (isInObject()) member = null
      } else if (sign === ':' && isInObject() && member === null) {
        member = parseMemberName(textBefore(at))
        startAfter(at)
      }
    }
    piece = textBefore(chunk.length)
    assertLength(piece.length)
  }

  const isAtEnd = () => (mode === 'values' ? brackets === '' && piece.trim() === '' : isComplete)
  return { scan, isComplete: isAtEnd }
}

function parseMemberName(text: string): string {
  const name = parseJson(text)
  if (typeof name !== 'string') throw malformed()
  return name
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(error)
  }
}

const malformed = (cause?: unknown) => new UnreadableFileError('json_malformed', { cause })
