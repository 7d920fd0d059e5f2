import { number, plural } from '../plural.ts'
import type { m } from '../reports.ts'

const tasks = (n: number) => plural(n, { one: '# Aufgabe', other: '# Aufgaben' })

/** Die Texte der Berichte. */
export const reports: typeof m = {
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
  otherDays: 'Andere Tage',
  from: 'Von',
  to: 'Bis',
  show: 'Anzeigen',
  ofMost: (n, most) =>
    `${plural(n, { one: '# Tag', other: '# Tage' })}; höchstens ${number(most)}.`,
  wrong: {
    missing: 'Beide Tage sind nötig.',
    turned: 'Der letzte Tag liegt vor dem ersten.',
    long: 'Das sind zu viele Tage: höchstens drei Jahre.',
  },
  figures: {
    done: 'Erledigt',
    pace: 'Pro Woche, letzte sechs',
    half: 'Die Hälfte ist erledigt in',
    spent: 'Aufwand zur Schätzung',
    of: (all) => `von ${all}`,
    added: (n) => `erledigt, ${n} neu`,
    most: (time) => `85 % in ${time}`,
  },
  fromTo: (from, to) => `${from} bis ${to}`,
  project: 'Projekt',
  people: 'Personen',
  tag: 'Tag',
  everyone: 'Alle Personen',
  any: 'Jedes Tag',
  several: (n) => number(n),
  table: 'Tabelle',
  csv: 'CSV',
  csvOf: (report) => `${report} als CSV herunterladen`,
  tableOf: (report) => `${report} als Tabelle`,
  unit: { tasks: 'Aufg.', time: 'h', days: 'Tage' },
  move: 'Pfeiltasten lesen das Diagramm vor',
  behind: (n) => plural(n, { one: '# Aufgabe dahinter', other: '# Aufgaben dahinter' }),
  moreBehind: 'Nur die ersten sind aufgeführt.',
  showBehind: 'Aufgaben dahinter',
  noneBehind: 'Da wurde keine Aufgabe erledigt.',
  open: (id) => `${id} öffnen`,
  moreRows: (shown, all) => `${number(shown)} von ${number(all)} sind hier aufgeführt.`,
  cut: (points, all) =>
    `Diagramm und Tabelle haben die letzten ${number(points)} von ${number(all)} Aufgaben; die Kennzahlen gelten für alle.`,
  none: 'In diesen Zeitraum fällt nichts.',
  few: {
    tasks: (n) =>
      `In diesem Zeitraum ${plural(n, { one: 'wurde nur # Aufgabe', other: 'wurden nur # Aufgaben' })} erledigt. Ab fünf gibt es ein Diagramm.`,
    estimated: (n) =>
      `In diesem Zeitraum ${plural(n, { one: 'hat nur # erledigte Aufgabe', other: 'haben nur # erledigte Aufgaben' })} eine Schätzung. Ab fünf gibt es ein Diagramm.`,
    days: (n) =>
      `In diesem Zeitraum ${plural(n, { one: 'hat nur # Tag', other: 'haben nur # Tage' })} eine Aufgabe. Ab fünf gibt es ein Diagramm.`,
    weeks: (n) =>
      `Dieser Zeitraum hat nur ${plural(n, { one: '# Woche', other: '# Wochen' })}. Ab fünf gibt es ein Diagramm.`,
    time: 'In diesem Zeitraum wurde keine Zeit erfasst. Sie lässt sich an einer Aufgabe eintragen oder mit deren Timer messen.',
  },
  day: 'Tag',
  week: 'Woche ab',
  burnUp: {
    name: 'Burn-up',
    say: 'Umfang und Erledigtes am Ende jedes Tages; zum Umfang zählt jede Aufgabe, die nicht abgebrochen ist.',
    grew: (percent) => `Der Umfang wuchs um ${percent} %`,
    shrank: (percent) => `Der Umfang schrumpfte um ${percent} %`,
    held: (scope) => `Der Umfang blieb bei ${number(scope)}`,
    began: (scope) => `Der Umfang wuchs von nichts auf ${number(scope)}`,
    between: (what, from, to) =>
      `${what}; in diesem Tempo ist alles zwischen ${from} und ${to} erledigt`,
    from: (what, from) => `${what}; im besten Tempo ist alles am ${from} erledigt`,
    never: (what) => `${what}; in diesem Tempo wird nie alles erledigt`,
    finished: (what) => `${what}, und alles davon ist erledigt`,
    forecast:
      'Das Band setzt die drei langsamsten und die drei schnellsten der letzten sechs Wochen fort.',
    scope: 'Umfang',
    done: 'Erledigt',
    scopeEnd: (n) => `Umfang ${number(n)}`,
    doneEnd: (n) => `Erledigt ${number(n)}`,
    left: (n) => `noch ${number(n)}`,
    told: (day, scope, done) => `${day}: Umfang ${number(scope)}, erledigt ${number(done)}`,
  },
  flow: {
    name: 'Kumulativer Fluss',
    say: 'Aufgaben nach der Kategorie ihres Status am Ende jedes Tages.',
    steady: (from, to) =>
      from === to
        ? `In Arbeit waren stets ${tasks(to)}`
        : `In Arbeit waren zwischen ${number(from)} und ${tasks(to)}`,
    queue: (what, way, n) => {
      const ways = { grew: 'wuchs auf', shrank: 'schrumpfte auf', held: 'blieb bei' }
      return `${what}; die Warteschlange ${ways[way]} ${number(n)}`
    },
    assumed: (n) =>
      `${plural(n, { one: '# Aufgabe wurde', other: '# Aufgaben wurden' })} beendet, bevor Statuswechsel aufgezeichnet wurden: bis dahin zählen sie als nicht begonnen.`,
    now: 'Nach der Geschichte der Aufgaben, die es jetzt gibt, mit ihren jetzigen Personen, Tags und Projekten.',
    categories: {
      backlog: 'Backlog',
      unstarted: 'Nicht begonnen',
      started: 'Begonnen',
      completed: 'Erledigt',
      canceled: 'Abgebrochen',
    },
    end: (name, n) => `${name} ${number(n)}`,
    told: (day, parts) => `${day}: ${parts}`,
  },
  throughput: {
    name: 'Durchsatz',
    say: 'Erledigte Aufgaben jeder Woche, und als Linie die neuen. Eine wieder geöffnete Aufgabe zählt, wenn sie zuletzt erledigt wurde.',
    found: (done, added) => `${done} Aufgaben werden in der Woche erledigt, ${added} kommen hinzu`,
    created: 'Neu',
    completed: 'Erledigt',
    days: 'Tage',
    part: (n) => plural(n, { one: 'nur # Tag davon', other: 'nur # Tage davon' }),
    told: (week, completed, created) =>
      `Woche ab ${week}: ${number(completed)} erledigt, ${number(created)} neu`,
  },
  cycle: {
    name: 'Durchlaufzeit',
    say: 'Vom ersten Beginn einer Aufgabe, bis sie erledigt war, nach dem Tag der Erledigung.',
    found: (half, most) => `Die Hälfte ist in ${half} erledigt, 85 % in ${most}`,
    unstarted: (n) =>
      `${plural(n, { one: '# Aufgabe hatte', other: '# Aufgaben hatten' })} nie einen begonnenen Status; gezählt wird ab der Erstellung.`,
    half: (time) => `50 % ${time}`,
    most: (time) => `85 % ${time}`,
    told: (id, title, time, day) => `${id} ${title}: ${time}, erledigt ${day}`,
    hours: (n) => `${n} h`,
    days: (n) => `${n} Tg.`,
    task: 'Aufgabe',
    what: 'Titel',
    completed: 'Erledigt',
    took: 'Tage',
    from: 'Gezählt ab',
    start: 'Beginn',
    creation: 'Erstellung',
  },
  estimates: {
    name: 'Schätzung und Aufwand',
    say: 'Erledigte Aufgaben mit Schätzung: nach oben der Aufwand, nach rechts die Schätzung. Auf der Linie war es wie geschätzt.',
    longer: (percent) => `Die Arbeit dauerte ${percent} % länger als geschätzt`,
    shorter: (percent) => `Die Arbeit dauerte ${percent} % kürzer als geschätzt`,
    same: 'Die Arbeit dauerte so lange wie geschätzt',
    over: (what, over, all) => `${what}; ${number(over)} von ${tasks(all)} dauerten länger`,
    told: (id, title, spent, estimate) => `${id} ${title}: ${spent} von ${estimate} aufgewendet`,
    estimate: 'Schätzung',
    spent: 'Aufwand',
    asEstimated: 'wie geschätzt',
  },
  time: {
    name: 'Zeit nach Person und Projekt',
    say: 'Zeiteinträge nach dem Tag, für den sie zählen. Der dunklere Teil ist verrechenbar.',
    found: (hours, percent) => `${hours} h wurden erfasst, ${percent} % davon verrechenbar`,
    member: 'Person',
    project: 'Projekt',
    hours: 'Stunden',
    billable: 'Verrechenbar',
    notBillable: 'Nicht verrechenbar',
    entries: 'Einträge',
    row: (total, billable) => `${total} h, ${billable} verrechenbar`,
    hidden: 'Ein anderes Projekt',
  },
}
