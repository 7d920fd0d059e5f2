import type { searchMessages } from '../../app/search.ts'

export const germanSearch: typeof searchMessages = {
  where: { description: 'Beschreibung', comment: 'Kommentar' },
}
