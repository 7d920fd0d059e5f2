import { UnreadableFileError } from './unreadable-file-error.ts'

/** In characters. One element at a time is parsed into memory. */
const MAX_ELEMENT_LENGTH = 16_777_216
const MAX_DEPTH = 100
const MALFORMED_JSON = 'The file is not well-formed JSON.'

/** An element of the top-level array, an element of a top-level member, or such a member itself. */
export interface JsonElement {
  /** The name of the top-level member; null if the file is an array. */
  member: string | null
  value: unknown
}

/**
 * Streams the elements of a JSON file, with one of them in memory at a time: of `[a, b]` a and b,
 * of `{"x": [a, b], "y": c}` a and b of x, then c of y. Throws `UnreadableFileError`.
 */
export async function* readJsonElements(text: AsyncIterable<string>): AsyncGenerator<JsonElement> {
  const scanner = createElementScanner()
  for await (const chunk of text) yield* scanner.scan(chunk)
  if (!scanner.isComplete()) throw new UnreadableFileError(MALFORMED_JSON)
}

function createElementScanner() {
  /** The open brackets, outermost first. */
  let brackets = ''
  let isInString = false
  let isEscaped = false
  /** In a file that is an object: the member being read, and whether it is an array. */
  let memberName: string | null = null
  let isInArray = false
  /** The text read so far of the current element or member name. */
  let piece = ''
  let isComplete = false

  const isElementEnd = () => brackets.length === (isInArray ? 2 : 1)

  function* finishElement(): Generator<JsonElement> {
    const text = piece.trim()
    piece = ''
    if (text === '') return
    if (brackets.startsWith('{') && memberName === null)
      throw new UnreadableFileError(MALFORMED_JSON)
    yield { member: memberName, value: parseJson(text) }
  }

  /** Returns whether the bracket only encloses elements and belongs to none. */
  function openBracket(sign: string): boolean {
    const isArray = brackets === '{' && sign === '[' && memberName !== null && piece.trim() === ''
    const isFrame = brackets === '' || isArray
    isInArray ||= isArray
    brackets += sign
    if (brackets.length > MAX_DEPTH) throw new UnreadableFileError('The file is nested too deeply.')
    return isFrame
  }

  function* closeFrame(): Generator<JsonElement> {
    yield* finishElement()
    if (isInArray) {
      isInArray = false
      memberName = null
    } else isComplete = true
  }

  /** Handles a character outside of strings. Returns whether it belongs to the element. */
  function* takeStructural(sign: string): Generator<JsonElement, boolean> {
    if (isComplete && sign.trim() !== '') throw new UnreadableFileError(MALFORMED_JSON)
    if (sign === '"') isInString = true
    else if (sign === '[' || sign === '{') return !openBracket(sign)
    else if (sign === ']' || sign === '}') {
      if (!brackets.endsWith(sign === ']' ? '[' : '{'))
        throw new UnreadableFileError(MALFORMED_JSON)
      const isFrame = isElementEnd()
      if (isFrame) yield* closeFrame()
      brackets = brackets.slice(0, -1)
      return !isFrame
    } else if (sign === ',' && isElementEnd()) {
      yield* finishElement()
      if (!isInArray) memberName = null
      return false
    } else if (sign === ':' && brackets === '{' && memberName === null) {
      memberName = parseMemberName(piece)
      piece = ''
      return false
    }
    return true
  }

  function* scan(chunk: string): Generator<JsonElement> {
    let from = 0
    const keep = (to: number) => {
      piece += chunk.slice(from, to)
      from = to
      if (piece.length > MAX_ELEMENT_LENGTH)
        throw new UnreadableFileError('A part of the file is too large.')
    }
    for (let at = 0; at < chunk.length; at += 1) {
      const sign = chunk.charAt(at)
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (sign === '\\') isEscaped = true
        else if (sign === '"') isInString = false
      } else if (STRUCTURAL.has(sign) || (isComplete && sign.trim() !== '')) {
        keep(at)
        if (!(yield* takeStructural(sign))) from = at + 1
      }
    }
    keep(chunk.length)
  }

  return { scan, isComplete: () => isComplete }
}

/** The characters that mean something outside of strings. */
const STRUCTURAL: ReadonlySet<string> = new Set('"[]{},:')

function parseMemberName(piece: string): string {
  const name = parseJson(piece.trim())
  if (typeof name !== 'string') throw new UnreadableFileError(MALFORMED_JSON)
  return name
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UnreadableFileError(MALFORMED_JSON, { cause: error })
  }
}
