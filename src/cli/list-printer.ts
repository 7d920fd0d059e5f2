import { formatTable } from './format-result.ts'

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
