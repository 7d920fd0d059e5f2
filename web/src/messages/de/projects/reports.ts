import { formatNumber, plural } from '../../plural.ts'
import type { reportMessages } from '../../projects/reports.ts'

const tasks = (n: number) => plural(n, { one: '# Aufgabe', other: '# Aufgaben' })

/** Texts of reports. */
export const germanReports: typeof reportMessages = {
  title: 'Berichte',
  all: 'Alle Projekte',
  views: 'Bericht',
  tabs: {
    progress: 'Fortschritt',
    time: 'Zeit',
    cycle: 'Durchlaufzeit',
    throughput: 'Durchsatz',
    estimates: 'Schätzungen',
  },
  range: 'Zeitraum',
  weeks: (n) => plural(n, { one: '# Woche', other: '# Wochen' }),
  days: (n) => plural(n, { one: '# Tag', other: '# Tage' }),
  otherDays: 'Eigener Zeitraum',
  from: 'Von',
  to: 'Bis',
  show: 'Anwenden',
  ofMost: (n, most) =>
    `${plural(n, { one: '# Tag', other: '# Tage' })}; höchstens ${formatNumber(most)}.`,
  wrong: {
    missing: 'Geben Sie beide Daten ein.',
    turned: 'Das Enddatum liegt vor dem Startdatum.',
    long: 'Wählen Sie höchstens drei Jahre.',
  },
  figures: {
    done: 'Erledigt',
    pace: 'Pro Woche, letzte 6 Wochen',
    half: 'Mittlere Durchlaufzeit',
    spent: 'Erledigte Aufgaben: Aufwand zur Schätzung',
    of: (all) => `von ${all}`,
    added: (n) => `erledigt, ${n} neu`,
    most: (time) => `85 % dauern höchstens ${time}`,
  },
  fromTo: (from, to) => `${from} bis ${to}`,
  project: 'Projekt',
  people: 'Personen',
  tag: 'Schlagwort',
  everyone: 'Alle Personen',
  any: 'Alle Schlagwörter',
  several: (n) => formatNumber(n),
  table: 'Tabelle',
  csv: 'CSV',
  csvOf: (report) => `${report} als CSV herunterladen`,
  tableOf: (report) => `${report} als Tabelle`,
  unit: { tasks: 'Aufg.', time: 'h', days: 'Tage' },
  move: 'Mit den Pfeiltasten das Diagramm lesen',
  behind: (n) => tasks(n),
  moreBehind: 'Nur die ersten Aufgaben werden angezeigt.',
  showBehind: 'Aufgaben anzeigen',
  noneBehind: 'In diesem Zeitraum wurden keine Aufgaben erledigt.',
  open: (id) => `${id} öffnen`,
  moreRows: (shown, all) => `${formatNumber(shown)} von ${formatNumber(all)} werden angezeigt.`,
  cut: (points, all) =>
    `Diagramm und Tabelle zeigen die letzten ${formatNumber(points)} von ${formatNumber(all)} Aufgaben. Die Kennzahlen gelten für alle.`,
  none: 'Keine Daten in diesem Zeitraum.',
  few: {
    tasks: (n) =>
      `In diesem Zeitraum ${plural(n, { one: 'wurde nur # Aufgabe', other: 'wurden nur # Aufgaben' })} erledigt. Diagramme erscheinen ab fünf erledigten Aufgaben.`,
    estimated: (n) =>
      `In diesem Zeitraum ${plural(n, { one: 'hat nur # erledigte Aufgabe', other: 'haben nur # erledigte Aufgaben' })} eine Schätzung. Diagramme erscheinen ab fünf.`,
    days: (n) =>
      `In diesem Zeitraum ${plural(n, { one: 'hat nur # Tag', other: 'haben nur # Tage' })} Aufgaben. Diagramme erscheinen ab fünf Tagen mit Daten.`,
    weeks: (n) =>
      `Dieser Zeitraum hat nur ${plural(n, { one: '# Woche', other: '# Wochen' })}. Diagramme erscheinen ab fünf Wochen mit Daten.`,
    time: 'In diesem Zeitraum wurde keine Zeit erfasst. Tragen Sie Zeit an einer Aufgabe ein, oder starten Sie deren Timer.',
  },
  day: 'Tag',
  week: 'Woche ab',
  burnUp: {
    name: 'Burn-up',
    say: 'Umfang und erledigte Aufgaben am Ende jedes Tages. Zum Umfang zählt jede Aufgabe, die nicht abgebrochen ist.',
    grew: (percent) => `Der Umfang wuchs um ${percent} %`,
    shrank: (percent) => `Der Umfang schrumpfte um ${percent} %`,
    held: (scope) => `Der Umfang blieb bei ${formatNumber(scope)}`,
    began: (scope) => `Der Umfang wuchs von 0 auf ${formatNumber(scope)}`,
    between: (what, from, to) =>
      `${what}; in diesem Tempo ist alles zwischen ${from} und ${to} erledigt`,
    from: (what, from) => `${what}; im besten Tempo ist alles bis ${from} erledigt`,
    never: (what) => `${what}; zurzeit kommt mehr dazu, als erledigt wird`,
    finished: (what) => `${what}, und alles ist erledigt`,
    forecast:
      'Die Prognose beruht auf den drei langsamsten und den drei schnellsten der letzten sechs Wochen.',
    scope: 'Umfang',
    done: 'Erledigt',
    scopeEnd: (n) => `Umfang ${formatNumber(n)}`,
    doneEnd: (n) => `Erledigt ${formatNumber(n)}`,
    left: (n) => `noch ${formatNumber(n)}`,
    byThen: (n) => `bis dann etwa ${formatNumber(n)}`,
    told: (day, scope, done) =>
      `${day}: Umfang ${formatNumber(scope)}, erledigt ${formatNumber(done)}`,
  },
  flow: {
    name: 'Kumulativer Fluss',
    say: 'Aufgaben nach Statuskategorie am Ende jedes Tages.',
    steady: (from, to) =>
      from === to
        ? `In Arbeit waren stets ${tasks(to)}`
        : `In Arbeit waren zwischen ${formatNumber(from)} und ${tasks(to)}`,
    queue: (what, way, n) => {
      const ways = { grew: 'wuchs auf', shrank: 'schrumpfte auf', held: 'blieb bei' }
      return `${what}; die Zahl nicht begonnener Aufgaben ${ways[way]} ${formatNumber(n)}`
    },
    assumed: (n) =>
      `${plural(n, { one: '# Aufgabe wurde', other: '# Aufgaben wurden' })} erledigt, bevor der Statusverlauf aufgezeichnet wurde. Bis dahin zählen sie als nicht begonnen.`,
    now: 'Beruht auf den jetzt vorhandenen Aufgaben mit ihren jetzigen Personen, Schlagwörtern und Projekten.',
    categories: {
      backlog: 'Backlog',
      unstarted: 'Offen',
      started: 'In Arbeit',
      completed: 'Erledigt',
      canceled: 'Abgebrochen',
    },
    end: (name, n) => `${name} ${formatNumber(n)}`,
    told: (day, parts) => `${day}: ${parts}`,
  },
  throughput: {
    name: 'Durchsatz',
    say: 'Pro Woche erledigte Aufgaben, neue Aufgaben als Linie. Eine wieder geöffnete Aufgabe zählt in der Woche, in der sie zuletzt erledigt wurde.',
    found: (done, added) => `${done} Aufgaben pro Woche erledigt, ${added} neu`,
    created: 'Neu',
    completed: 'Erledigt',
    days: 'Tage',
    part: (n) => plural(n, { one: 'nur # Tag', other: 'nur # Tage' }),
    told: (week, completed, created) =>
      `Woche ab ${week}: ${formatNumber(completed)} erledigt, ${formatNumber(created)} neu`,
  },
  cycle: {
    name: 'Durchlaufzeit',
    say: 'Zeit vom ersten Beginn einer Aufgabe bis zur Erledigung, nach dem Tag der Erledigung.',
    found: (half, most) => `Die Hälfte dauert höchstens ${half}, 85 % höchstens ${most}`,
    unstarted: (n) =>
      `${plural(n, { one: '# Aufgabe hatte', other: '# Aufgaben hatten' })} nie den Status „In Arbeit“; gemessen wird ab der Erstellung.`,
    half: (time) => `50 % ${time}`,
    most: (time) => `85 % ${time}`,
    told: (id, title, time, day) => `${id} ${title}: ${time}, erledigt ${day}`,
    hours: (n) => `${n} h`,
    days: (n) => `${n} Tg.`,
    task: 'Aufgabe',
    what: 'Titel',
    completed: 'Erledigt',
    took: 'Tage',
    from: 'Gemessen ab',
    start: 'Beginn',
    creation: 'Erstellung',
  },
  estimates: {
    name: 'Schätzung und Aufwand',
    say: 'Erledigte Aufgaben mit Schätzung: Aufwand im Vergleich zur Schätzung. Auf der Linie stimmen beide überein.',
    longer: (percent) => `Die Arbeit dauerte ${percent} % länger als geschätzt`,
    shorter: (percent) => `Die Arbeit dauerte ${percent} % kürzer als geschätzt`,
    same: 'Die Arbeit dauerte so lange wie geschätzt',
    over: (what, over, all) => `${what}; ${formatNumber(over)} von ${tasks(all)} dauerten länger`,
    told: (id, title, spent, estimate) => `${id} ${title}: ${spent} von ${estimate} aufgewendet`,
    estimate: 'Schätzung',
    spent: 'Aufwand',
    asEstimated: 'wie geschätzt',
  },
  time: {
    name: 'Zeit nach Person und Projekt',
    say: 'Erfasste Zeit pro Tag. Der dunklere Teil ist abrechenbar.',
    found: (time, percent) => `${time} erfasst, ${percent} % abrechenbar`,
    member: 'Person',
    project: 'Projekt',
    hours: 'Stunden',
    billable: 'Abrechenbar',
    notBillable: 'Nicht abrechenbar',
    entries: 'Einträge',
    row: (total, billable) => `${total}, ${billable} abrechenbar`,
    hidden: 'Ein anderes Projekt',
  },
}
