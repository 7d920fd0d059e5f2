import type { Options } from 'mdast-util-from-markdown'

type SyntaxExtension = NonNullable<Options['extensions']>[number]
type ConstructRecord = NonNullable<SyntaxExtension['text']>
type Construct = Exclude<NonNullable<ConstructRecord[string]>, unknown[]>
type TokenizeContext = ThisParameterType<Construct['tokenize']>
type Effects = Parameters<Construct['tokenize']>[0]
type Measure = (context: TokenizeContext, code: number | null) => number

/**
 * How much one text may cost, in steps of the parser: a character or an event that it looks at. A
 * specification of 65,536 characters costs less than half of it. What a part costs was found by searching
 * for repeated texts that take long.
 */
const MAX_WORK = 4_000_000
/** What a line costs in a text that has lists or quotes. */
const LINE_END_WORK = 400
/** What a line costs that is neither blank nor in a code block. */
const LINE_WORK = 1_000
/** What the start of a quote or of a list item costs, which the parser tries twice. */
const CONTAINER_WORK = 500
/** What a character costs that may begin or end markup. */
const MARK_WORK = 60
/** What a cell of a table costs. */
const CELL_WORK = 200

const HYPHEN = 45
const EQUALS = 61
const BACKTICK = 96
/** The characters that an address may begin with. */
const WORD = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.'
const WORD_CODES = new Set([...`${WORD}_/`].map((one) => one.charCodeAt(0)))
const TRAILING_PUNCTUATION = /[!"&'),.:;<>?\]}*_~]{100,}/g

/** Thrown by the parser when a text costs too much. */
export class WorkLimitError extends Error {}

/**
 * Ends the parsing of a text whose markup costs too much. CommonMark allows texts that take time by
 * the square or the cube of their length: 65,536 characters of `*_` would stop the page for a
 * minute.
 *
 * The extension consists of constructs that never match, but are tried before those that do. They
 * count each character that these read, also in vain, and add what these will look back at, which
 * they do in loops of their own.
 */
export function createWorkLimit(source: string): SyntaxExtension {
  let work = 0
  const add = (steps: number) => {
    work += steps
    if (work > MAX_WORK) throw new WorkLimitError('The markup of a text costs too much')
  }
  const countReading = createReadingCounter(add)
  const count = (measure: Measure, lineEndWork = 1): Construct => ({
    name: 'workLimit',
    add: 'before',
    tokenize(effects, _ok, nok) {
      countReading(effects, lineEndWork)
      return (code) => {
        add(measure(this, code))
        return nok(code)
      }
    },
  })
  const mark = ({ events }: TokenizeContext) => MARK_WORK + events.length / 16

  add((source.match(/\|/g)?.length ?? 0) * CELL_WORK)
  // The end of an address is searched for from each of these characters.
  for (const { length } of source.match(TRAILING_PUNCTUATION) ?? []) add((length * length) / 32)
  return {
    ...createBlockConstructs(source, count),
    contentInitial: recordOf('[', count(mark)),
    text: {
      ...recordOf('\\&<', count(mark)),
      ...recordOf('`', { ...count(mark), previous: isRunStart }),
      ...recordOf(
        '*_~',
        count(({ events }) => MARK_WORK + events.length),
      ),
      ...createBracketConstructs(source, count, mark),
    },
  }
}

/** Counts the characters that the constructs of a tokenizer read. */
function createReadingCounter(add: (steps: number) => void) {
  const counted = new WeakSet<Effects>()
  return (effects: Effects, lineEndWork: number) => {
    if (counted.has(effects)) return
    counted.add(effects)
    const { consume } = effects
    effects.consume = (code) => {
      add(isLineEnding(code) ? lineEndWork : 1)
      consume(code)
    }
  }
}

type Count = (measure: Measure, lineEndWork?: number) => Construct

/** For each line the parser goes through all open containers, for each of them once more. */
function createBlockConstructs(source: string, count: Count): SyntaxExtension {
  let depth = 0
  const container = count((context) => {
    depth = Math.max(depth, countContainers(source, context.now().offset))
    return CONTAINER_WORK + 20 * depth
  }, LINE_END_WORK)
  const line = count(({ events, now, parser }, code) => {
    // The containers of a line are in front of it, unless it lazily continues a paragraph in them.
    const point = now()
    if (!parser.lazy[point.line]) depth = countContainers(source, point.offset)
    // The underline of a heading looks for its text in the whole document.
    const isUnderline = code === HYPHEN || code === EQUALS
    return LINE_WORK + 2 * depth * depth + (isUnderline ? events.length : 0)
  })
  return {
    document: recordOf('>*+-[0123456789', container),
    flow: { ...recordOf('#*-<=_`~', line), null: line },
  }
}

/** A closing bracket reads all since the opening one, and a word in brackets looks for their end. */
function createBracketConstructs(source: string, count: Count, mark: Measure): ConstructRecord {
  const offsets = new WeakMap<TokenizeContext, number[]>()
  const open = count((context, code) => {
    const { offset } = context.now()
    if (source.startsWith('[', offset) || source.startsWith('![', offset)) {
      const inContext = offsets.get(context) ?? []
      offsets.set(context, inContext)
      inContext.push(offset)
    }
    return mark(context, code)
  })
  const close = count((context) => {
    const { offset } = context.now()
    const from = offsets.get(context)?.pop() ?? offset
    const { events, parser } = context
    return MARK_WORK + (events.length + parser.defined.length + offset - from) / 4
  })
  const word: Construct = {
    ...count((context) => (offsets.has(context) ? context.events.length / 8 : 0)),
    previous: (code) => code === null || !WORD_CODES.has(code),
  }
  return { ...recordOf('[!', open), ...recordOf(']', close), ...recordOf(WORD, word) }
}

const recordOf = (characters: string, construct: Construct): ConstructRecord =>
  Object.fromEntries([...characters].map((one) => [one.charCodeAt(0), construct]))

/** Whether a backtick begins a run. Another one must not be tried, else a run would begin within it. */
function isRunStart(this: TokenizeContext, code: number | null): boolean {
  return code !== BACKTICK || this.events.at(-1)?.[1].type === 'characterEscape'
}

/** Whether a code of the parser is CR, LF or CRLF. */
const isLineEnding = (code: number | null): boolean => code !== null && code < -2

/** An upper bound of the quotes and list items that are open where another one may start. */
function countContainers(source: string, offset: number): number {
  let from = offset
  while (from > 0 && !'\r\n'.includes(source.charAt(from - 1))) from -= 1
  const start = source.slice(from, offset + 1)
  const marks = start.match(/[>*+\-[]|\d+/g)?.length ?? 0
  const columns = start.replaceAll('\t', '    ').match(/ /g)?.length ?? 0
  return marks + columns / 2
}
