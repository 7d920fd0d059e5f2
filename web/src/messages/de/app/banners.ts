import type { bannerMessages } from '../../app/banners.ts'
import { formatNumber, plural } from '../../plural.ts'

const UNSAVED = {
  one: '# nicht gespeicherte Änderung',
  other: '# nicht gespeicherte Änderungen',
}

export const germanBanners: typeof bannerMessages = {
  conflict: (id) =>
    `Jemand anderes hat ${id} ebenfalls geändert. Öffnen Sie die Aufgabe und wählen Sie eine Version.`,
  open: 'Öffnen',
  unsaved: 'Nicht gespeichert',
  retry: 'Erneut senden',
  discard: 'Verwerfen',
  copyText: 'Text kopieren',
  notStored:
    'Dieser Browser kann ungesendete Änderungen nicht speichern. Lassen Sie diese Seite offen, bis sie gespeichert sind',
  rateLimited: (seconds) => `Das Anfragelimit dieser Minute ist erreicht. Weiter in ${seconds} s`,
  rateLimitedNotice: 'Das Anfragelimit dieser Minute ist erreicht. Docket macht von selbst weiter.',
  retryAll: 'Alle erneut senden',
  manyUnsaved: (count) => plural(count, UNSAVED),
  changing: (done, all) => `${formatNumber(done)} von ${formatNumber(all)} geändert`,
  stop: 'Anhalten',
  runningTimer: 'Laufender Timer',
  stopTimer: 'Timer stoppen',
  newVersion: 'Eine neue Version von Docket ist verfügbar',
  anotherWorkspace: 'einem anderen Arbeitsbereich',
  otherWorkspace: (name) =>
    `Sie haben in einem anderen Tab zu ${name} gewechselt. Dieser Tab ist angehalten, bis Sie zurückwechseln`,
  switchBack: 'Zurückwechseln',
  otherPerson: (name) =>
    `${name} hat sich in einem anderen Tab angemeldet. Dieser Tab ist angehalten`,
  loadAnew: 'Seite neu laden',
}
