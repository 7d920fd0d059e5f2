interface Page<T> {
  data: readonly T[]
  next_cursor: string | null
}

/** What a page of a list is asked for with. */
export interface PageQuery {
  limit: number
  cursor?: string
}

const LIMIT = 200

/** All records of a list that is never long, page after page. */
export async function allPages<T>(read: (page: PageQuery) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = []
  let cursor: string | null = null
  do {
    const page: Page<T> = await read({ limit: LIMIT, ...(cursor && { cursor }) })
    all.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}
