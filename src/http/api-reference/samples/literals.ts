/** How a language writes the values of a JSON body. */
export interface LiteralSyntax {
  readonly indent: string
  readonly object: string
  readonly array: string
  readonly null: string
  readonly true: string
  readonly false: string
  readonly text: (text: string) => string
  readonly key: (name: string) => string
  /** gofmt aligns the values of fields on consecutive lines. */
  readonly alignsValues?: boolean
}

/** A longer list of values gets a line for each. */
const MAX_INLINE_CHARACTERS = 60

/** Writes a JSON value as a literal; `depth` is the indentation of the line on which it begins. */
export function writeLiteral(value: unknown, syntax: LiteralSyntax, depth = 0): string {
  if (value === null) return syntax.null
  if (typeof value === 'boolean') return value ? syntax.true : syntax.false
  if (typeof value === 'string') return syntax.text(value)
  if (Array.isArray(value)) return writeArray(value, syntax, depth)
  if (typeof value === 'object') return writeObject(value, syntax, depth)
  return String(value)
}

function writeArray(values: unknown[], syntax: LiteralSyntax, depth: number): string {
  const literals = values.map((value) => writeLiteral(value, syntax, depth + 1))
  const line = `${syntax.array}${literals.join(', ')}${closing(syntax.array)}`
  const isInline = line.length <= MAX_INLINE_CHARACTERS && !line.includes('\n')
  return isInline ? line : writeLines(syntax.array, literals, syntax, depth)
}

function writeObject(value: object, syntax: LiteralSyntax, depth: number): string {
  const fields = Object.entries(value).map(([name, field]) => ({
    key: `${syntax.key(name)}:`,
    literal: writeLiteral(field, syntax, depth + 1),
  }))
  const lines = fields.map(({ key, literal }, at) => {
    const width = syntax.alignsValues ? alignedWidth(fields, at) : key.length
    return `${key.padEnd(width)} ${literal}`
  })
  return writeLines(syntax.object, lines, syntax, depth)
}

/** The widest key of the consecutive fields on one line each, among which this field is. */
function alignedWidth(fields: readonly { key: string; literal: string }[], at: number): number {
  const isMultiline = (index: number) => fields[index]?.literal.includes('\n') ?? true
  if (isMultiline(at)) return 0
  let [first, last] = [at, at]
  while (!isMultiline(first - 1)) first -= 1
  while (!isMultiline(last + 1)) last += 1
  return Math.max(...fields.slice(first, last + 1).map(({ key }) => key.length))
}

function writeLines(open: string, lines: string[], { indent }: LiteralSyntax, depth: number) {
  const inner = lines.map((line) => `${indent.repeat(depth + 1)}${line},\n`)
  return `${open}\n${inner.join('')}${indent.repeat(depth)}${closing(open)}`
}

const closing = (open: string) => (open.endsWith('[') ? ']' : '}')
