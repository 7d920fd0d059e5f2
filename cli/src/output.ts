import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { List } from '../../sdk/src/index.ts'
import { CommandFailure, CommandUsageError } from './failures.ts'

/** Begins the color codes of this process, which a text of other people cannot know. */
const COLOR_MARK = randomUUID()
const COLOR_CODES = new RegExp(`${COLOR_MARK}(\\d+)m`, 'g')

const COLORS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
/** In columns, where the terminal does not report its width. */
export const DEFAULT_WIDTH = 80
const DEFAULT_PAGER = ['less', '-FRX'] as const

interface OutputOptions {
  isJson: boolean
  color: string | undefined
  /** Whether a pager shows the output on a terminal. */
  isLong: boolean
}

/**
 * Where a command prints its result: for people, or one JSON object. Notes for people go to stderr. No text that
 * is printed controls the terminal, whatever a server has sent: colors come from `paint` alone.
 */
export class Output {
  readonly isJson: boolean
  /** Columns of the terminal. */
  readonly width: number = process.stdout.columns || DEFAULT_WIDTH
  readonly isTerminal: boolean = process.stdout.isTTY === true
  readonly #hasColors: boolean
  readonly #isLong: boolean
  #pager: ChildProcess | undefined

  constructor({ isJson, color = 'auto', isLong }: OutputOptions) {
    this.isJson = isJson
    this.#isLong = isLong
    this.#hasColors =
      color === 'always' || (color === 'auto' && this.isTerminal && !process.env.NO_COLOR)
  }

  paint(color: keyof typeof COLORS, text: string): string {
    if (!this.#hasColors || text === '') return text
    return `${COLOR_MARK}${COLORS[color]}m${text}${COLOR_MARK}0m`
  }

  /** Prints the result: `{"data": …}`, or the text. */
  async result(data: unknown, text: string, more: object = {}): Promise<void> {
    await this.print(this.isJson ? formatJson({ data, ...more }) : text)
  }

  /** Breaks a text without colors between words, where the terminal would break it anywhere. */
  wrap(text: string): string {
    if (!this.isTerminal) return text
    const lines = text.split('\n').map((line) => wrap(line, this.width))
    return lines.join('\n')
  }

  /** Prints lines, and waits until they are written, so that a slow reader does not fill the memory. */
  async print(text: string): Promise<void> {
    await this.write(`${text}\n`)
  }

  /** Prints a part of a line. */
  async write(text: string): Promise<void> {
    await this.writeBytes(clean(text).replaceAll(COLOR_CODES, '\x1b[$1m'))
  }

  /** Writes the content of a file as it is. A terminal would obey it: for that, see `write`. */
  async writeBytes(content: string | Uint8Array): Promise<void> {
    const stream = await this.#stream()
    if (!stream.write(content)) await once(stream, 'drain')
  }

  /** A sentence for people beside the result, which programs do not get. */
  note(text: string): void {
    if (!this.isJson) process.stderr.write(`${clean(text)}\n`)
  }

  /** Waits until the pager has been left. */
  async end(): Promise<void> {
    if (!this.#pager) return
    this.#pager.stdin?.end()
    if (this.#pager.exitCode === null) await once(this.#pager, 'exit')
  }

  async #stream(): Promise<Writable> {
    if (!this.isTerminal || !this.#isLong) return process.stdout
    this.#pager ??= await startPager()
    return this.#pager?.stdin ?? process.stdout
  }

  /**
   * Prints a page of a list, or with `isAll` all of it as it arrives. People see how many there are, if
   * that is known, and else whether there are more.
   */
  async list<T>(source: List<T>, { columns, isAll, total, none }: ListOutput<T>): Promise<void> {
    if (this.isJson) return this.jsonList(source, isAll, total)
    let count = 0
    let widths: readonly number[] | undefined
    for await (const { data, has_more } of source.pages()) {
      if (data.length > 0) {
        const table = this.#table(data, columns, widths)
        widths = table.widths
        await this.print((count === 0 ? table.lines : table.rows).join('\n'))
      }
      count += data.length
      if (isAll && has_more) continue
      if (count === 0) this.note(none)
      if (has_more) {
        const range = total === undefined ? `${count} shown` : `${count} of ${total}`
        await this.footer(`${range}, more with --all`)
      }
      return
    }
  }

  /** Prints a list as `{"data": [...]}`, also if it is longer than the memory. */
  async jsonList(source: List<unknown>, isAll: boolean, total?: number): Promise<void> {
    let [prefix, separator] = ['{"data":[', '']
    for await (const { data, next_cursor } of source.pages()) {
      if (!Array.isArray(data) || next_cursor === undefined) {
        throw new CommandFailure('not_a_list', 'The reply has no pages.')
      }
      const records = data.map((record) => formatJson(record)).join(',')
      // Any page may be empty, also one after which others follow.
      await this.write(prefix + (records && separator + records))
      prefix = ''
      if (records) separator = ','
      if (isAll && next_cursor !== null) continue
      const more = {
        ...(next_cursor !== null && { next_cursor }),
        ...(total !== undefined && { total }),
      }
      const end = formatJson(more).slice(1)
      return this.print(end === '}' ? ']}' : `],${end}`)
    }
  }

  /** On a terminal a note belongs below the rows, also in a pager; a program reads only rows. */
  async footer(text: string): Promise<void> {
    if (this.isTerminal) await this.print(this.paint('dim', text))
    else this.note(text)
  }

  /** A table for people, or rows with tabs for other programs. */
  table<T>(records: readonly T[], columns: readonly TableColumn<T>[]): string {
    return this.#table(records, columns).lines.join('\n')
  }

  #table<T>(
    records: readonly T[],
    all: readonly TableColumn<T>[],
    fixedWidths?: readonly number[],
  ) {
    const columns = this.isTerminal ? all.filter(({ from = 0 }) => this.width >= from) : all
    const cells = records.map((record) =>
      columns.map(({ value }) => clean(value(record)).replaceAll(/\s/g, ' ')),
    )
    const paintCell = (text: string, cell: string, at: number) => {
      const color = columns[at]?.color?.(cell)
      return color ? this.paint(color, text) : text
    }
    if (!this.isTerminal) {
      const rows = cells.map((row) => row.map((cell, at) => paintCell(cell, cell, at)).join('\t'))
      return { lines: rows, rows, widths: [] }
    }
    const natural = columns.map(({ title, most = this.width }, at) => {
      const longest = Math.max(title.length, ...cells.map((row) => widthOf(row[at] ?? '')))
      return Math.min(longest, most)
    })
    const fixed = natural.filter((_, at) => !columns[at]?.isFlexible)
    const gaps = 2 * (columns.length - 1)
    const left = Math.max(
      8,
      fixed.reduce((rest, width) => rest - width, this.width - gaps),
    )
    const widths =
      fixedWidths ??
      natural.map((width, at) => (columns[at]?.isFlexible ? Math.min(width, left) : width))
    const format = (row: readonly string[], paint: (text: string, at: number) => string) =>
      row
        .map((cell, at) => paint(pad(truncate(cell, widths[at] ?? 0), widths[at] ?? 0), at))
        .join('  ')
        .trimEnd()
    const head = format(
      columns.map(({ title }) => title),
      (text) => this.paint('dim', text),
    )
    const rows = cells.map((row) => format(row, (text, at) => paintCell(text, row[at] ?? '', at)))
    return { lines: [head, ...rows], rows, widths }
  }
}

/** A column of a table. */
export interface TableColumn<T> {
  title: string
  value(record: T): string
  color?(cell: string): keyof typeof COLORS | undefined
  /** Whether it gets the width that the others leave. */
  isFlexible?: true
  /** The columns of a terminal from which on it is shown. */
  from?: number
  /** The most columns of a terminal that it takes. */
  most?: number
}

interface ListOutput<T> {
  columns: readonly TableColumn<T>[]
  isAll: boolean
  /** The number of records in all pages, if a reply contains it. */
  total?: number | undefined
  /** What people read if there is none. */
  none: string
}

/** Starts $PAGER; undefined if it shall not be used, or is not installed. */
async function startPager(): Promise<ChildProcess | undefined> {
  const command = process.env.PAGER
  if (command === '' || command === 'cat') return undefined
  const stdio: ['pipe', 'inherit', 'inherit'] = ['pipe', 'inherit', 'inherit']
  const pager =
    command === undefined
      ? spawn(DEFAULT_PAGER[0], DEFAULT_PAGER.slice(1), { stdio })
      : spawn(command, { stdio, shell: true })
  const hasStarted = await Promise.race([
    once(pager, 'spawn').then(() => true),
    once(pager, 'error').then(() => false),
  ]).catch(() => false)
  if (!hasStarted) return undefined
  // Ctrl-C is for the pager, which has the terminal.
  process.on('SIGINT', () => {})
  pager.stdin?.on('error', endQuietly)
  return pager
}

/** Ends the process if its output cannot be written, quietly if nobody reads it, as after `docket list | head -1`. */
export function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`docket: ${error.message}\n`)
  process.exit(1)
}

/** Asks a person. Without a terminal it fails and names the option that answers the question. */
export const ask = (question: string, option: string): Promise<string> =>
  readLine(question, option, process.stderr)

/** Asks for a secret, which is not shown. */
export async function askSecret(question: string, option: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const line = readLine(question, option, nowhere)
  process.stderr.write(`${clean(question)} `)
  const answer = await line
  process.stderr.write('\n')
  return answer
}

async function readLine(question: string, option: string, output: Writable): Promise<string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CommandUsageError(`There is no terminal to ask in. Give ${option}.`)
  }
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  // Ctrl-C and Ctrl-D end the command, with the exit code of a shell.
  const exit = () => process.exit(130)
  terminal.once('close', exit)
  const answer = await new Promise<string>((resolve) => {
    terminal.question(`${clean(question)} `, resolve)
  })
  terminal.off('close', exit)
  terminal.close()
  return answer.trim()
}

/**
 * Opens an address in the browser. A missing browser is no error, because the address is printed as well.
 * An address of another scheme, which the server may have sent, could start any program.
 */
export function openInBrowser(url: string) {
  if (!/^https?:\/\//.test(url)) return
  const programs: Record<string, [string, ...string[]]> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }
  const [program, ...words] = programs[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...words, url], { detached: true, stdio: 'ignore' })
  child.on('error', () => {})
  child.unref()
}

/**
 * What controls a terminal, C1 included, or turns the direction of the text beside it. A tab and the end of a line
 * are no such characters.
 */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Removes what would control the terminal: texts come from other people. */
export const clean = (text: string): string => text.replaceAll(CONTROLS, '')

/** Replaces what would control the terminal in a text that is JSON: the value stays the same. */
export const escapeControls = (json: string): string =>
  json.replaceAll(
    CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Formats a value as JSON that controls no terminal. */
export const formatJson = (value: unknown, indent?: number): string =>
  escapeControls(JSON.stringify(value, undefined, indent) ?? 'null')

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

function widthOfCharacter(character: string): number {
  if (/^[\p{Mn}\p{Me}\u200d]/u.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

const widthOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + widthOfCharacter(character), 0)

function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let used = 0
  const characters = [...text].filter((character) => {
    used += widthOfCharacter(character)
    return used < width
  })
  return `${characters.join('')}…`
}

const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** Breaks a paragraph into lines. */
export function wrap(text: string, width: number): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    const fits = line !== undefined && widthOf(line) + 1 + widthOf(word) <= width
    if (fits) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

const MAX_NAME_WIDTH = 26
/** Below this width an explanation is below its name. */
const MIN_WIDTH_OF_TWO_COLUMNS = 60

/** Names with their explanations: beside each other, or below on a narrow terminal. */
export function formatRows(rows: readonly (readonly [string, string])[], width: number): string {
  const isNarrow = width < MIN_WIDTH_OF_TWO_COLUMNS
  const longest = Math.max(0, ...rows.map(([name]) => name.length))
  const indent = isNarrow ? 6 : Math.min(MAX_NAME_WIDTH, longest) + 4
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, width - indent).replaceAll('\n', `\n${' '.repeat(indent)}`)
      const isBelow = isNarrow || name.length > indent - 4
      return isBelow
        ? `  ${name}\n${' '.repeat(indent)}${lines}`
        : `  ${name.padEnd(indent - 2)}${lines}`
    })
    .join('\n')
}
