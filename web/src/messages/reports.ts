import { number, plural } from './plural.ts'
import { say } from './say.ts'

/** Texts of reports. */
export const m = say('reports', {
  title: 'Reports',
  all: 'All projects',
  views: 'Report',
  tabs: {
    progress: 'Progress',
    time: 'Time',
    cycle: 'Cycle time',
    throughput: 'Throughput',
    estimates: 'Estimates',
  },
  range: 'Range',
  weeks: (n: number) => plural(n, { one: '# week', other: '# weeks' }),
  days: (n: number) => plural(n, { one: '# day', other: '# days' }),
  otherDays: 'Other days',
  from: 'From',
  to: 'To',
  show: 'Show',
  ofMost: (n: number, most: number) =>
    `${plural(n, { one: '# day', other: '# days' })}; ${number(most)} at the most.`,
  wrong: {
    missing: 'Both days are needed.',
    turned: 'The last day is before the first.',
    long: 'These are too many days: three years at the most.',
  },
  figures: {
    done: 'Done',
    pace: 'Per week, last six',
    half: 'Half are done within',
    spent: 'Spent of estimate',
    of: (all: string) => `of ${all}`,
    added: (n: string) => `finished, ${n} added`,
    most: (time: string) => `85 % within ${time}`,
  },
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  project: 'Project',
  people: 'People',
  tag: 'Tag',
  everyone: 'Everyone',
  any: 'Any tag',
  several: (n: number) => number(n),
  table: 'Table',
  csv: 'CSV',
  csvOf: (report: string) => `Download ${report} as CSV`,
  tableOf: (report: string) => `${report} as a table`,
  unit: { tasks: 'tasks', time: 'h', days: 'days' },
  move: 'Arrow keys read the chart',
  behind: (n: number) => plural(n, { one: '# task behind it', other: '# tasks behind it' }),
  moreBehind: 'Only the first are listed.',
  showBehind: 'Tasks behind it',
  noneBehind: 'No task was completed then.',
  open: (id: string) => `Open ${id}`,
  moreRows: (shown: number, all: number) => `${number(shown)} of ${number(all)} are listed here.`,
  cut: (points: number, all: number) =>
    `The chart and the table have the last ${number(points)} of ${number(all)} tasks; the figures are of all.`,
  none: 'Nothing falls into this range.',
  few: {
    tasks: (n: number) =>
      `${plural(n, { one: 'Only # task was completed', other: 'Only # tasks were completed' })} in this range. From five on there is a chart.`,
    estimated: (n: number) =>
      `${plural(n, { one: 'Only # completed task has', other: 'Only # completed tasks have' })} an estimate in this range. From five on there is a chart.`,
    days: (n: number) =>
      `${plural(n, { one: 'Only # day has', other: 'Only # days have' })} a task in this range. From five on there is a chart.`,
    weeks: (n: number) =>
      `${plural(n, { one: 'This range has only # week', other: 'This range has only # weeks' })}. From five on there is a chart.`,
    time: 'No time was logged in this range. Log it on a task, or start its timer.',
  },
  day: 'Day',
  week: 'Week from',
  burnUp: {
    name: 'Burn-up',
    say: 'Scope and done at the end of each day; scope is every task that is not canceled.',
    grew: (percent: number) => `Scope grew ${percent} %`,
    shrank: (percent: number) => `Scope shrank ${percent} %`,
    held: (scope: number) => `Scope held at ${number(scope)}`,
    began: (scope: number) => `Scope grew from nothing to ${number(scope)}`,
    between: (what: string, from: string, to: string) =>
      `${what}; at this pace all is done between ${from} and ${to}`,
    from: (what: string, from: string) => `${what}; at the best pace all is done by ${from}`,
    never: (what: string) => `${what}; at this pace it is never all done`,
    finished: (what: string) => `${what}, and all of it is done`,
    forecast: 'The band carries on the three slowest and the three fastest of the last six weeks.',
    scope: 'Scope',
    done: 'Done',
    scopeEnd: (n: number) => `Scope ${number(n)}`,
    doneEnd: (n: number) => `Done ${number(n)}`,
    left: (n: number) => `${number(n)} to go`,
    told: (day: string, scope: number, done: number) =>
      `${day}: scope ${number(scope)}, done ${number(done)}`,
  },
  flow: {
    name: 'Cumulative flow',
    say: 'Tasks by the category of their status at the end of each day.',
    steady: (from: number, to: number) =>
      from === to
        ? `Work in hand held at ${plural(to, { one: '# task', other: '# tasks' })}`
        : `Work in hand stayed between ${number(from)} and ${plural(to, { one: '# task', other: '# tasks' })}`,
    queue: (what: string, way: 'grew' | 'shrank' | 'held', n: number) => {
      const ways = { grew: 'grew to', shrank: 'shrank to', held: 'held at' }
      return `${what}; the queue ${ways[way]} ${number(n)}`
    },
    assumed: (n: number) =>
      `${plural(n, { one: '# task was', other: '# tasks were' })} finished before their changes of status were kept: until then they count as not started.`,
    now: 'Told from the history of the tasks that are there now, with the people, tags and project they have now.',
    categories: {
      backlog: 'Backlog',
      unstarted: 'Not started',
      started: 'Started',
      completed: 'Completed',
      canceled: 'Canceled',
    },
    end: (name: string, n: number) => `${name} ${number(n)}`,
    told: (day: string, parts: string) => `${day}: ${parts}`,
  },
  throughput: {
    name: 'Throughput',
    say: 'Tasks completed in each week, and the line of those created. A task that was reopened counts when it was completed last.',
    found: (done: string, added: string) =>
      `${done} tasks are completed a week, ${added} are created`,
    created: 'Created',
    completed: 'Completed',
    days: 'Days',
    part: (n: number) => plural(n, { one: 'only # day of it', other: 'only # days of it' }),
    told: (week: string, completed: number, created: number) =>
      `Week from ${week}: ${number(completed)} completed, ${number(created)} created`,
  },
  cycle: {
    name: 'Cycle time',
    say: 'From the first time a task was started until it was completed, by the day of its completion.',
    found: (half: string, most: string) => `Half are done within ${half}, 85 % within ${most}`,
    unstarted: (n: number) =>
      `${plural(n, { one: '# task was', other: '# tasks were' })} never seen in a started status, and counted from their creation.`,
    half: (time: string) => `50 % ${time}`,
    most: (time: string) => `85 % ${time}`,
    told: (id: string, title: string, time: string, day: string) =>
      `${id} ${title}: ${time}, completed ${day}`,
    hours: (n: string) => `${n} h`,
    days: (n: string) => `${n} d`,
    task: 'Task',
    what: 'Title',
    completed: 'Completed',
    took: 'Days',
    from: 'Counted from',
    start: 'start',
    creation: 'creation',
  },
  estimates: {
    name: 'Estimate against spent',
    say: 'Completed tasks with an estimate: time spent above, estimate to the right. On the line it was as estimated.',
    longer: (percent: number) => `Work took ${percent} % longer than estimated`,
    shorter: (percent: number) => `Work took ${percent} % less than estimated`,
    same: 'Work took as long as estimated',
    over: (what: string, over: number, all: number) =>
      `${what}; ${number(over)} of ${plural(all, { one: '# task', other: '# tasks' })} took longer`,
    told: (id: string, title: string, spent: string, estimate: string) =>
      `${id} ${title}: ${spent} spent of ${estimate}`,
    estimate: 'Estimate',
    spent: 'Spent',
    asEstimated: 'as estimated',
  },
  time: {
    name: 'Time by member and project',
    say: 'Time entries by the day they count for. The darker part is billable.',
    found: (hours: string, percent: number) =>
      `${hours} h were logged, ${percent} % of it billable`,
    member: 'Member',
    project: 'Project',
    hours: 'Hours',
    billable: 'Billable',
    notBillable: 'Not billable',
    entries: 'Entries',
    row: (total: string, billable: string) => `${total} h, ${billable} billable`,
    hidden: 'Another project',
  },
})
