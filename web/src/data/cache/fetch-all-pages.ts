interface ListPage<T> {
  data: readonly T[]
  next_cursor: string | null
}

/** The query parameters that select one page of a list. */
export interface ListPageQuery {
  limit: number
  cursor?: string
}

const PAGE_SIZE = 200

/** Fetches all pages of a list. Only for lists that are never long. */
export async function fetchAllPages<T>(
  read: (page: ListPageQuery) => Promise<ListPage<T>>,
): Promise<T[]> {
  const all: T[] = []
  let cursor: string | null = null
  do {
    const page: ListPage<T> = await read({ limit: PAGE_SIZE, ...(cursor && { cursor }) })
    all.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}
