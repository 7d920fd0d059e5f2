import type { View } from '#resources/web-app/views/internal.ts'

/** The search parameters of a saved view's URL; default values are left out. */
export const toSavedViewSearch = ({ id, view, f, sort, group, lanes }: View) => ({
  saved: id,
  ...(view !== 'list' && { view }),
  ...(f && { f }),
  ...(sort !== 'position' && { sort }),
  ...(group !== 'status' && { group }),
  ...(lanes !== 'none' && { lanes }),
})
