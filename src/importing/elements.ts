import { Unreadable } from './unreadable.ts'

/** Characters that one element may have: what is made an object at once. */
const MOST_OF_ELEMENT = 16_777_216
const MOST_DEEP = 100
const NO_JSON = 'The file is no well-formed JSON.'

/** An element of the array that a file is, or of the array that a member of it is; or that member. */
export interface Element {
  /** The name of the member; null where the file is an array. */
  of: string | null
  value: unknown
}

/**
 * The elements of a JSON file, one after the other, so that no more than one of them is in memory: of
 * `[a, b]` a and b, of `{"x": [a, b], "y": c}` a and b of x, and c of y. Throws `Unreadable`.
 */
export async function* elementsOf(text: AsyncIterable<string>): AsyncGenerator<Element> {
  const scan = scanner()
  for await (const chunk of text) yield* scan.take(chunk)
  if (!scan.isWhole()) throw new Unreadable(NO_JSON)
}

function scanner() {
  /** The brackets that are open, from the outermost. */
  let open = ''
  let inText = false
  let isEscaped = false
  /** Of a file that is an object: the member that is being read, and whether it is an array. */
  let name: string | null = null
  let inList = false
  /** What was read of the element, or of the name of a member. */
  let piece = ''
  let isOver = false

  const isElementEnd = () => open.length === (inList ? 2 : 1)

  function* finish(): Generator<Element> {
    const text = piece.trim()
    piece = ''
    if (text === '') return
    if (open.startsWith('{') && name === null) throw new Unreadable(NO_JSON)
    yield { of: name, value: parsed(text) }
  }

  /** Whether a bracket only frames elements, and is no part of one. */
  function opens(sign: string): boolean {
    const isList = open === '{' && sign === '[' && name !== null && piece.trim() === ''
    const isFrame = open === '' || isList
    inList ||= isList
    open += sign
    if (open.length > MOST_DEEP) throw new Unreadable('The file is nested too deep.')
    return isFrame
  }

  function* closes(): Generator<Element> {
    yield* finish()
    if (inList) {
      inList = false
      name = null
    } else isOver = true
  }

  /** A sign outside of texts. Tells whether it belongs to the element. */
  function* heed(sign: string): Generator<Element, boolean> {
    if (isOver && sign.trim() !== '') throw new Unreadable(NO_JSON)
    if (sign === '"') inText = true
    else if (sign === '[' || sign === '{') return !opens(sign)
    else if (sign === ']' || sign === '}') {
      if (!open.endsWith(sign === ']' ? '[' : '{')) throw new Unreadable(NO_JSON)
      const isFrame = isElementEnd()
      if (isFrame) yield* closes()
      open = open.slice(0, -1)
      return !isFrame
    } else if (sign === ',' && isElementEnd()) {
      yield* finish()
      if (!inList) name = null
      return false
    } else if (sign === ':' && open === '{' && name === null) {
      name = nameIn(piece)
      piece = ''
      return false
    }
    return true
  }

  function* take(chunk: string): Generator<Element> {
    let from = 0
    const keep = (to: number) => {
      piece += chunk.slice(from, to)
      from = to
      if (piece.length > MOST_OF_ELEMENT) throw new Unreadable('A part of the file is too large.')
    }
    for (let at = 0; at < chunk.length; at += 1) {
      const sign = chunk.charAt(at)
      if (inText) {
        if (isEscaped) isEscaped = false
        else if (sign === '\\') isEscaped = true
        else if (sign === '"') inText = false
      } else if (SIGNS.has(sign) || (isOver && sign.trim() !== '')) {
        keep(at)
        if (!(yield* heed(sign))) from = at + 1
      }
    }
    keep(chunk.length)
  }

  return { take, isWhole: () => isOver }
}

/** What means anything outside of texts. */
const SIGNS: ReadonlySet<string> = new Set('"[]{},:')

function nameIn(piece: string): string {
  const name = parsed(piece.trim())
  if (typeof name !== 'string') throw new Unreadable(NO_JSON)
  return name
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Unreadable(NO_JSON, { cause: error })
  }
}
