import type { recentChangesMessages } from '../../app/recent-changes.ts'
import { plural } from '../../plural.ts'

export const germanRecentChanges: typeof recentChangesMessages = {
  none: 'Keine Änderungen in den letzten 30 Tagen. Was Sie ändern, steht dann hier und kann rückgängig gemacht werden.',
  named: (what, name) => `${what}: ${name}`,
  andMore: (what, count) =>
    `${what}, und ${plural(count, { one: '# weitere Änderung', other: '# weitere Änderungen' })}`,
  deletedSetting: 'Ansicht oder Vorlage gelöscht',
  hidden: 'Eine Änderung in einem Projekt, das Sie nicht mehr sehen',
  by: { api_key: 'mit API-Schlüssel', app: 'durch Anwendung', system: 'durch den Server' },
  isImport: 'durch Import',
  more: 'Mehr anzeigen',
}
