import { readFile } from 'node:fs/promises'
import { isEmail } from '#auth/users/accounts.ts'
import { validationFailed } from '#core/api-error.ts'
import type { FieldError } from '#wire/field-error.ts'
import type { Role } from '#wire/rights.ts'
import { Optional, type Static, StrictObject } from '#wire/schema-builders.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import { EmailOption, NameOption, RoleOption } from './arguments.ts'

/** A person of a file. */
interface ListedPerson {
  email: string
  name: string
  role: Role | undefined
}

const PersonRow = StrictObject({ email: EmailOption, name: NameOption, role: Optional(RoleOption) })
type PersonRow = Static<typeof PersonRow>
const COLUMNS = ['email', 'name', 'role'] as const
const DELIMITERS = [',', ';', '\t']
/** Each new person costs a password hash, which takes a tenth of a second. */
const MAX_PEOPLE = 1_000
const MAX_ERRORS = 20

const fileError = (message: string): FieldError => ({
  field: 'from',
  code: 'invalid_value',
  message,
})

/** Reads people from a CSV file whose first line names its columns. Throws 422 that names each bad line. */
export async function readPeople(path: string): Promise<ListedPerson[]> {
  const [head, ...rows] = await readTable(path)
  const columns = head?.cells.map((name) => name.toLowerCase()) ?? []
  const isColumn = (name: string) => COLUMNS.some((one) => one === name)
  const unknown = columns.filter((name, at) => !isColumn(name) || columns.indexOf(name) !== at)
  if (unknown.length > 0 || !columns.includes('email') || !columns.includes('name')) {
    const found = columns.join(', ') || 'nothing'
    const message = `The first line of ${path} must name the columns email, name and, if you like, role. It has ${found}.`
    throw validationFailed(fileError(message))
  }
  if (rows.length === 0 || rows.length > MAX_PEOPLE) {
    const message = `${path} must have from 1 to ${MAX_PEOPLE} people. It has ${rows.length}.`
    throw validationFailed(fileError(message))
  }
  const errors: FieldError[] = []
  const people: ListedPerson[] = []
  const lineByEmail = new Map<string, number>()
  for (const { line, cells } of rows) {
    const faults: string[] = []
    const { email, name, role } = parseRow(columns, cells, faults)
    const key = email.toLowerCase()
    const earlier = lineByEmail.get(key)
    if (earlier !== undefined && email !== '') faults.push(`email is also that of line ${earlier}`)
    lineByEmail.set(key, line)
    for (const fault of faults) errors.push(fileError(`Line ${line}: ${fault}.`))
    people.push({ email, name, role })
  }
  if (errors.length === 0) return people
  const more = errors.length - MAX_ERRORS
  const rest = more > 0 ? [fileError(`There are ${more} more errors.`)] : []
  const told = [fileError('Nobody was added.'), ...errors.slice(0, MAX_ERRORS), ...rest]
  throw validationFailed(...told)
}

const parseFields = createSchemaParser(PersonRow)

function parseRow(
  columns: readonly string[],
  cells: readonly string[],
  faults: string[],
): PersonRow {
  if (cells.length > columns.length) {
    faults.push(`it has ${cells.length} cells for ${columns.length} columns`)
  }
  const entries = columns.map((column, at): [string, string] => {
    const cell = cells[at] ?? ''
    return [column, column === 'role' ? cell.toLowerCase() : cell]
  })
  const row = Object.fromEntries(entries.filter(([, value]) => value !== ''))
  const { errors } = parseFields(row)
  faults.push(...errors.map(({ message }) => message.replace(/\.$/, '')))
  const { email = '', name = '', role } = row as Partial<PersonRow>
  if (email !== '' && !isEmail(email)) faults.push('email must be an email address')
  return { email, name, ...(role && { role }) }
}

async function readTable(path: string): Promise<{ line: number; cells: string[] }[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    throw validationFailed(fileError(`${path} cannot be read: ${why}.`))
  })
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const [firstLine = ''] = text.split(/[\r\n]/, 1)
    const { parse } = await import('csv-parse/sync')
    const rows: { line: number; cells: string[] }[] = []
    parse(text, {
      bom: true,
      delimiter: DELIMITERS.find((one) => firstLine.includes(one)) ?? ',',
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record(cells: string[], { lines: line }) {
        if (cells.some((cell) => cell !== '')) rows.push({ line, cells })
        return null
      },
    })
    return rows
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw validationFailed(fileError(`${path} must be CSV in UTF-8: ${why}.`))
  }
}
