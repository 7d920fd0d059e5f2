/** Texts of the search. */
export const m = {
  title: 'Search',
  of: (name: string) => `Tasks of ${name}`,
  nobodys: 'Nothing is assigned to this person.',
  label: 'Words, or the number of a task',
  placeholder: 'Words, or DOC-42',
  hint: 'Every word that you type must begin a word of the title or description.',
  none: (q: string) => `No task has all of “${q}”. Try fewer or shorter words.`,
  count: (found: number, more: boolean) => (more ? `${found}+` : String(found)),
}
