/** What a task is found by. */
export const searchable = (title: string, description: string | null): string =>
  description === null ? title : `${title}\n${description}`
