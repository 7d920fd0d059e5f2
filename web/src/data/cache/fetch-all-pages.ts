interface ListPage<T> {
  data: readonly T[]
  next_cursor: string | null
}

/** The query parameters that select one page of a list. */
interface ListPageQuery {
  limit: number
  cursor?: string
}

const PAGE_SIZE = 200

/** Fetches all pages of a list, or the first ones. All only of lists that are never long. */
export async function fetchAllPages<T>(
  read: (page: ListPageQuery) => Promise<ListPage<T>>,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const all: T[] = []
  let cursor: string | null = null
  let pageCount = 0
  do {
    const page: ListPage<T> = await read({ limit: PAGE_SIZE, ...(cursor && { cursor }) })
    all.push(...page.data)
    cursor = page.next_cursor
    pageCount += 1
  } while (cursor !== null && pageCount < maxPages)
  return all
}
