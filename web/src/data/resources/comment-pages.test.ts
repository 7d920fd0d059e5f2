import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeCommentPages } from './comment-pages.ts'

const page = (...ids: string[]) => ({ data: ids.map((id) => ({ id })), next_cursor: null })

/** The ids of each page, after a new comment was put first. */
const addFirst = (id: string, pages: ReturnType<typeof page>[]) =>
  changeCommentPages(pages, (all) => [{ id }, ...all.filter((one) => one.id !== id)]).map(
    ({ data }) => data.map((one) => one.id),
  )

test('a new comment is in the newest page alone, also if it was there before', () => {
  assert.deepEqual(addFirst('c', [page('b'), page('a')]), [['c', 'b'], ['a']])
  assert.deepEqual(addFirst('c', [page('c', 'b'), page('a')]), [['c', 'b'], ['a']])
})
