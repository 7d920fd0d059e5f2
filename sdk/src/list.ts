import type { Docket, Query, RequestOptions } from './docket.ts'
import { DocketError } from './errors.ts'

/** A page of a list as the server sends it. */
export interface Page<T> {
  data: T[]
  /** Where the next page begins; null on the last one. */
  next_cursor: string | null
  has_more: boolean
}

/** The most records that a page has; fewer requests count less against the limit. */
const MAX_PAGE_SIZE = 200

/**
 * A list of any length: `for await (const record of list)` reads all of it, page by page. Nothing is
 * requested before that, and each loop begins anew.
 */
export class List<T, PageType extends Page<T> = Page<T>> implements AsyncIterable<T> {
  readonly #docket: Docket
  readonly #path: string
  readonly #query: Query
  readonly #options: RequestOptions | undefined

  constructor(docket: Docket, path: string, query: Query, options?: RequestOptions) {
    this.#docket = docket
    this.#path = path
    this.#query = query
    this.#options = options
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data
  }

  /**
   * The pages, each with the `next_cursor` by which another program, or a later run, goes on after it.
   * If one cannot be read, the error has its `cursor`.
   */
  async *pages(): AsyncGenerator<PageType, void, undefined> {
    let query: Query = { limit: MAX_PAGE_SIZE, ...this.#query }
    for (;;) {
      const page = await this.#read(query)
      yield page
      if (page.next_cursor === null) return
      query = { ...query, cursor: page.next_cursor }
    }
  }

  /** All records. Of a list that may be long, take them one by one instead. */
  async toArray(): Promise<T[]> {
    const records: T[] = []
    for await (const record of this) records.push(record)
    return records
  }

  async #read(query: Query): Promise<PageType> {
    try {
      return await this.#docket.send<PageType>({
        method: 'GET',
        path: this.#path,
        query,
        options: this.#options,
      })
    } catch (error) {
      if (error instanceof DocketError && typeof query.cursor === 'string') {
        error.cursor = query.cursor
      }
      throw error
    }
  }
}
