import { formatNumber, plural } from '../../plural.ts'
import type { supervisionMessages } from '../../settings/supervision.ts'

export const germanSupervision: typeof supervisionMessages = {
  offer: 'Mich vor manchen Änderungen fragen',
  label: 'Mich fragen, bevor',
  hint: 'Eine solche Anfrage wartet in Ihrem Eingang, bis Sie sie erlauben oder ablehnen.',
  deletions: 'etwas gelöscht wird',
  moves: 'etwas in ein anderes Projekt verschoben wird',
  webhooks: 'Webhooks geändert werden',
  members: 'Projekte oder ihre Mitglieder geändert werden',
  perRequest: 'Einträge je Anfrage',
  perRequestHint: 'Mich fragen, bevor eine Anfrage mehr Einträge ändert. Leer: beliebig viele.',
  perHour: 'Einträge je Stunde',
  perHourHint: 'Mich fragen, bevor innerhalb einer Stunde mehr Einträge geändert werden.',
  none: 'Nicht beaufsichtigt',
  asks: (what) => `Fragt, bevor ${what}`,
  manyAtOnce: (n) =>
    plural(n, {
      one: 'eine Anfrage mehr als # Eintrag ändert',
      other: 'eine Anfrage mehr als # Einträge ändert',
    }),
  manyAnHour: (n) => `mehr als ${formatNumber(n)} Einträge in einer Stunde geändert werden`,
  paused: 'angehalten',
}
