/** A page of a task's comments as the server returns it, newest first. */
export interface CommentPage<C> {
  data: C[]
  next_cursor: string | null
}

/** Changes the comments of each page. Only the newest page, the first one, gets new comments. */
export const changeCommentPages = <C extends { id: string }>(
  pages: readonly CommentPage<C>[],
  change: (comments: C[]) => C[],
): CommentPage<C>[] =>
  pages.map((page, at) => {
    const ids = new Set(page.data.map(({ id }) => id))
    const data = change(page.data)
    return { ...page, data: at === 0 ? data : data.filter(({ id }) => ids.has(id)) }
  })
