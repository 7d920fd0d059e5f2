import { defineMessages } from '../define-messages.ts'
import { formatNumber, plural } from '../plural.ts'

/** Texts of reports. */
export const reportMessages = defineMessages('reports', {
  title: 'Reports',
  all: 'All projects',
  views: 'Report',
  tabs: {
    progress: 'Progress',
    time: 'Time',
    timesheet: 'Timesheet',
    cycle: 'Cycle time',
    throughput: 'Throughput',
    estimates: 'Estimates',
  },
  range: 'Range',
  weeks: (n: number) => plural(n, { one: '# week', other: '# weeks' }),
  days: (n: number) => plural(n, { one: '# day', other: '# days' }),
  periods: {
    'this-week': 'This week',
    'last-week': 'Last week',
    'this-month': 'This month',
    'last-month': 'Last month',
  },
  by: 'By',
  groupings: {
    'user,project': 'member and project',
    user: 'member',
    project: 'project',
    tag: 'tag',
    task: 'task',
    day: 'day',
    week: 'week',
  },
  otherDays: 'Custom range',
  from: 'From',
  to: 'To',
  show: 'Apply',
  ofMost: (n: number, most: number) =>
    `${plural(n, { one: '# day', other: '# days' })}; up to ${formatNumber(most)}.`,
  wrong: {
    missing: 'Enter both dates.',
    turned: 'The end date is before the start date.',
    long: 'Choose a range of up to three years.',
  },
  figures: {
    done: 'Done',
    pace: 'Per week, last 6 weeks',
    half: 'Median cycle time',
    spent: 'Completed tasks: spent vs. estimated',
    of: (all: string) => `of ${all}`,
    added: (n: string) => `completed, ${n} added`,
    most: (time: string) => `85 % take ${time} or less`,
  },
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  project: 'Project',
  people: 'People',
  tag: 'Tag',
  everyone: 'Everyone',
  any: 'Any tag',
  several: (n: number) => formatNumber(n),
  table: 'Table',
  csv: 'CSV',
  csvOf: (report: string) => `Download ${report} as CSV`,
  tableOf: (report: string) => `${report} as a table`,
  unit: { tasks: 'tasks', time: 'h', days: 'days' },
  move: 'Use the arrow keys to read the chart',
  behind: (n: number) => plural(n, { one: '# task', other: '# tasks' }),
  moreBehind: 'Only the first tasks are shown.',
  showBehind: 'Show tasks',
  noneBehind: 'No tasks were completed in this period.',
  open: (id: string) => `Open ${id}`,
  moreRows: (shown: number, all: number) =>
    `Showing ${formatNumber(shown)} of ${formatNumber(all)}.`,
  cut: (points: number, all: number) =>
    `The chart and table show the last ${formatNumber(points)} of ${formatNumber(all)} tasks. The figures include all of them.`,
  none: 'No data in this range.',
  few: {
    tasks: (n: number) =>
      `${plural(n, { one: 'Only # task was completed', other: 'Only # tasks were completed' })} in this range. Charts appear after five completed tasks.`,
    estimated: (n: number) =>
      `${plural(n, { one: 'Only # completed task has', other: 'Only # completed tasks have' })} an estimate in this range. Charts appear after five.`,
    days: (n: number) =>
      `${plural(n, { one: 'Only # day has', other: 'Only # days have' })} tasks in this range. Charts appear after five days of data.`,
    weeks: (n: number) =>
      `${plural(n, { one: 'This range has only # week', other: 'This range has only # weeks' })}. Charts appear after five weeks of data.`,
    time: 'No time was logged in this range. Log time on a task, or start its timer.',
  },
  day: 'Day',
  week: 'Week of',
  burnUp: {
    name: 'Burn-up',
    say: 'Scope and completed tasks at the end of each day. Scope counts every task that is not canceled.',
    grew: (percent: number) => `Scope grew ${percent} %`,
    shrank: (percent: number) => `Scope shrank ${percent} %`,
    held: (scope: number) => `Scope stayed at ${formatNumber(scope)}`,
    began: (scope: number) => `Scope grew from 0 to ${formatNumber(scope)}`,
    between: (what: string, from: string, to: string) =>
      `${what}; at this pace, everything is done between ${from} and ${to}`,
    from: (what: string, from: string) =>
      `${what}; at the best pace, everything is done by ${from}`,
    never: (what: string) => `${what}; more is being added than finished`,
    finished: (what: string) => `${what}, and everything is done`,
    forecast:
      'The forecast is based on the three slowest and the three fastest of the last six weeks.',
    scope: 'Scope',
    done: 'Done',
    scopeEnd: (n: number) => `Scope ${formatNumber(n)}`,
    doneEnd: (n: number) => `Done ${formatNumber(n)}`,
    left: (n: number) => `${formatNumber(n)} left`,
    byThen: (n: number) => `about ${formatNumber(n)} by then`,
    told: (day: string, scope: number, done: number) =>
      `${day}: scope ${formatNumber(scope)}, done ${formatNumber(done)}`,
  },
  flow: {
    name: 'Cumulative flow',
    say: 'Tasks by status category at the end of each day.',
    steady: (from: number, to: number) =>
      from === to
        ? `Work in progress stayed at ${plural(to, { one: '# task', other: '# tasks' })}`
        : `Work in progress stayed between ${formatNumber(from)} and ${plural(to, { one: '# task', other: '# tasks' })}`,
    queue: (what: string, way: 'grew' | 'shrank' | 'held', n: number) => {
      const ways = { grew: 'grew to', shrank: 'shrank to', held: 'stayed at' }
      return `${what}; tasks not started ${ways[way]} ${formatNumber(n)}`
    },
    assumed: (n: number) =>
      `${plural(n, { one: '# task was', other: '# tasks were' })} completed before status history was recorded. Until then, they count as not started.`,
    now: 'Based on the tasks that exist now, with their current people, tags and project.',
    categories: {
      backlog: 'Backlog',
      unstarted: 'To do',
      started: 'In progress',
      completed: 'Done',
      canceled: 'Canceled',
    },
    end: (name: string, n: number) => `${name} ${formatNumber(n)}`,
    told: (day: string, parts: string) => `${day}: ${parts}`,
  },
  throughput: {
    name: 'Throughput',
    say: 'Tasks completed each week, with tasks created as a line. A reopened task counts in the week it was last completed.',
    found: (done: string, added: string) => `${done} tasks completed per week, ${added} created`,
    created: 'Created',
    completed: 'Completed',
    days: 'Days',
    part: (n: number) => plural(n, { one: 'only # day so far', other: 'only # days' }),
    told: (week: string, completed: number, created: number) =>
      `Week of ${week}: ${formatNumber(completed)} completed, ${formatNumber(created)} created`,
  },
  cycle: {
    name: 'Cycle time',
    say: 'Time from when a task was first started until it was completed, by completion day.',
    found: (half: string, most: string) => `Half take ${half} or less, 85 % take ${most} or less`,
    unstarted: (n: number) =>
      `${plural(n, { one: '# task was', other: '# tasks were' })} never in progress, so they count from when they were created.`,
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
    from: 'Measured from',
    start: 'start',
    creation: 'creation',
  },
  estimates: {
    name: 'Estimates and time spent',
    say: 'Completed tasks with an estimate: time spent against time estimated. Tasks on the line took as long as estimated.',
    longer: (percent: number) => `Work took ${percent} % longer than estimated`,
    shorter: (percent: number) => `Work took ${percent} % less than estimated`,
    same: 'Work took as long as estimated',
    over: (what: string, over: number, all: number) =>
      `${what}; ${formatNumber(over)} of ${plural(all, { one: '# task', other: '# tasks' })} took longer`,
    told: (id: string, title: string, spent: string, estimate: string) =>
      `${id} ${title}: ${spent} spent of ${estimate}`,
    estimate: 'Estimate',
    spent: 'Spent',
    asEstimated: 'as estimated',
  },
  time: {
    name: 'Time',
    say: 'The darker part is billable.',
    sayTags: 'Time on a task with several tags is shown for each of them.',
    untagged: 'No tag',
    found: (time: string, percent: number) => `${time} logged, ${percent} % billable`,
    member: 'Member',
    project: 'Project',
    hours: 'Hours',
    billable: 'Billable',
    notBillable: 'Not billable',
    entries: 'Entries',
    row: (total: string, billable: string) => `${total}, ${billable} billable`,
    hidden: 'Another project',
  },
  entries: {
    csv: 'Entries as CSV',
    download: 'Download time entries as CSV',
    file: 'time-entries',
    seconds: 'Seconds',
    note: 'Note',
    yes: 'yes',
    no: 'no',
    tooMany: (most: number) =>
      `This range has more than ${formatNumber(most)} time entries. Choose a shorter range or fewer people.`,
    failed: 'The time entries could not be loaded.',
  },
  timesheet: {
    total: (time: string) => `${time} in this week`,
    none: 'No time in this week yet',
    say: 'Your time by task and day. Type 1h 30m, 1:30 or 90m; an empty field deletes the time.',
    keys: 'Arrow keys and Enter move between fields.',
    name: 'Timesheet',
    previous: 'Previous week',
    next: 'Next week',
    task: 'Task',
    sum: 'Total',
    cell: (task: string, day: string) => `${task}, ${day}`,
    addTask: 'Add task',
    changed: (task: string, day: string, time: string) => `${task}, ${day}: ${time}`,
    deleted: (task: string, day: string) => `${task}, ${day}: time deleted`,
    changedMeanwhile: (task: string, day: string) =>
      `${task}, ${day} was changed in the meantime, so its time stays as it is.`,
    notTime: (typed: string) => `“${typed}” is not a duration. Type 1h 30m, 1:30 or 90m.`,
    tooLong: 'A day has at most 24 hours.',
    unsaved:
      'The time that you typed earlier is not saved yet. Press Enter in its field to save it, Esc to discard it.',
    empty: 'Add a task to log time on it.',
  },
})
