/** What controls a terminal, C1 included, or turns the direction of the text beside it; a tab and a new line do not. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Escapes what would control the terminal of the operator: names are those that people chose, and errors those of other
 * servers. JSON keeps its value.
 */
export const escapeForTerminal = (text: string): string =>
  text.replaceAll(
    CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Formats a result for people: a line for each field, or a table if it is a list. */
export function formatResult(result: object): string {
  if ('data' in result && Array.isArray(result.data)) return formatTable(result.data)
  const rows = Object.entries(result)
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}`).join('\n')
}

/** Formats records as a table with their field names as its head. */
export function formatTable(records: readonly object[]): string {
  const [first] = records
  if (!first) return 'none'
  const names = Object.keys(first)
  const rows = [names, ...records.map((record) => Object.values(record).map(formatValue))]
  const widths = names.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const formatRow = (row: string[]) =>
    row.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  ')
  return rows.map((row) => formatRow(row).trimEnd()).join('\n')
}

function formatValue(value: unknown): string {
  if (value === null) return '–'
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.join(', ')
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Prints the rows of a list page by page, so that a long list needs no more memory than a short one. */
export type PrintPages = (pages: AsyncIterable<readonly object[]>) => Promise<void>

/** With --json one object, `{"data":[…]}`, on one line; otherwise a table. */
export const createListPrinter =
  (asJson: boolean, write: (text: string) => Promise<void>): PrintPages =>
  async (pages) => {
    let rows = 0
    for await (const page of pages) {
      if (page.length === 0) continue
      if (asJson) await write(`${rows === 0 ? '{"data":[' : ','}${page.map(toJson).join(',')}`)
      else {
        const [head = '', ...lines] = formatTable(page).split('\n')
        await write(`${(rows === 0 ? [head, ...lines] : lines).join('\n')}\n`)
      }
      rows += page.length
    }
    if (asJson) await write(rows === 0 ? '{"data":[]}\n' : ']}\n')
    else if (rows === 0) await write('none\n')
  }

const toJson = (row: object): string => JSON.stringify(row)

const PAGE_SIZE = 500

/** Reads a list in pages, each after the id of the last row. */
export async function* readPages<R extends { id: string }>(
  readPage: (page: { after: string; limit: number }) => Promise<readonly R[]>,
): AsyncGenerator<readonly R[]> {
  for (let after = ''; ; ) {
    const rows = await readPage({ after, limit: PAGE_SIZE })
    yield rows
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_SIZE) return
    after = last.id
  }
}

const SHOW_AFTER_MS = 1_000
const REFRESH_INTERVAL_MS = 200

interface ProgressOptions {
  /** Milliseconds between lines if there is no terminal; undefined to write none. */
  plainEvery?: number
  screen?: ProgressScreen
}

/** The progress of a running command. */
interface CommandProgress {
  report(what: string): void
  /** Clears the line on a terminal. */
  end(): void
}

/**
 * Shows the progress of a command that takes longer than a second: on a terminal, or as log lines.
 */
export function createProgress(
  label: string,
  { plainEvery, screen = STDERR }: ProgressOptions = {},
): CommandProgress {
  const { isTTY, write } = screen
  const intervalMs = isTTY ? REFRESH_INTERVAL_MS : plainEvery
  const startedAt = performance.now()
  let lastShownAt = 0
  return {
    report(what) {
      const now = performance.now()
      if (intervalMs === undefined || now - startedAt < SHOW_AFTER_MS) return
      if (now - lastShownAt < intervalMs) return
      lastShownAt = now
      write(isTTY ? `\r\x1b[K${label}: ${what}` : `${label}: ${what}\n`)
    },
    end() {
      if (lastShownAt > 0 && isTTY) write('\r\x1b[K')
    },
  }
}

interface ProgressScreen {
  isTTY: boolean
  write(text: string): void
}

const STDERR: ProgressScreen = {
  isTTY: process.stderr.isTTY === true,
  write: (text) => process.stderr.write(text),
}
