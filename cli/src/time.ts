import {
  createTimeEntry,
  type Docket,
  getProject,
  getTask,
  getTimeReport,
  listTimeEntries,
  type Task,
  type TimeEntry,
  type TimeGroup,
  type TimeReport,
  type TimeReportRow,
  updateTimeEntry,
} from '../../sdk/src/index.ts'
import type { CommandContext, CommandDefinition } from './command.ts'
import {
  dayFrom,
  dayPlus,
  describeDays,
  formatTimeSpan,
  isDate,
  isWeekday,
  parseTimeSpan,
  readDay,
} from './days.ts'
import { CommandFailure } from './failures.ts'
import { branchNameOf, findBranch, isInWorkingTree, switchBranch } from './git.ts'
import type { TableColumn } from './output.ts'
import { applyTaskUpdate, findProjectNamed, readNamedTask, TASK_ARGUMENT } from './tasks.ts'
import { finishWrite } from './undo.ts'

async function start(context: CommandContext) {
  const { input, connect, isDryRun: dryRun } = context
  const { docket } = connect()
  const task = await readNamedTask(context)
  const steps: string[] = []
  // git goes first: it may refuse because of changed files, and then nothing has been written.
  const needsBranch = !input.flag('no-branch') && isInWorkingTree()
  const existing = needsBranch ? findBranch(task.short_id) : undefined
  const name = existing?.name ?? branchNameOf(task.short_id, task.title)
  const branch = needsBranch ? name : null
  if (needsBranch) {
    if (!dryRun) switchBranch(existing ?? { name }, existing === undefined)
    steps.push(`on branch ${name}`)
  }
  let current = task
  if (task.status_category !== 'started') {
    const { statuses } = await getProject(docket, task.project_id)
    const status = statuses.find(({ category }) => category === 'started')
    if (status) {
      current = await applyTaskUpdate(docket, task, { status: status.key }, dryRun)
      steps.push(`in status ${status.name}`)
    }
  }
  let timer: TimeEntry | null = null
  if (!input.flag('no-timer')) {
    if ((await findTimer(docket))?.task_id !== task.id) {
      timer = await createTimeEntry(docket, task.id, { running: true }, { dryRun })
      steps.push('timer running')
    }
  }
  await finishWrite(context, {
    data: { task: current, branch, timer },
    text: startText(task, steps),
  })
}

const startText = ({ short_id, title }: Task, steps: readonly string[]): string =>
  `${short_id} started: ${title} (${steps.join(', ') || 'nothing to do'})`

/** The running timer of the person; there is one at most. */
async function findTimer(docket: Docket): Promise<TimeEntry | undefined> {
  const [timer] = await listTimeEntries(docket, { user_id: 'me', running: true }).toArray()
  return timer
}

async function stop(context: CommandContext) {
  const { input, output, connect, isDryRun: dryRun } = context
  const { docket } = connect()
  const reference = input.argument('task')
  const timer = await findTimer(docket)
  if (!timer) return output.result(null, 'No timer is running.')
  const { task_id } = timer
  const { short_id } = await getTask(docket, task_id)
  if (reference !== undefined && (await readNamedTask(context)).id !== task_id) {
    throw new CommandFailure('other_timer', `Your timer runs on ${short_id}.`)
  }
  const stopped = await updateTimeEntry(docket, timer.id, { running: false }, { dryRun })
  await finishWrite(context, {
    data: stopped,
    text: `${short_id} stopped after ${formatTimeSpan(stopped.duration_seconds ?? 0)}`,
  })
}

async function log(context: CommandContext) {
  const { input, connect, isDryRun: dryRun } = context
  const { docket } = connect()
  const seconds = parseTimeSpan(input.requiredArgument('time'))
  if (!seconds) throw input.wrong('TIME must be a time such as 1h30m, 45m or 1.5h.')
  const [note, day] = [input.argument('note'), input.text('on')]
  if (parseTimeSpan(note?.split(' ')[0] ?? '')) {
    throw input.wrong('Write the time as one word, such as 1h30m.')
  }
  const task = await readNamedTask(context)
  const body = {
    duration_seconds: seconds,
    ...(note !== undefined && { note }),
    ...(day !== undefined && { spent_on: await readDay(docket, day, 'last') }),
    ...(input.flag('billable') && { billable: true }),
  }
  const entry = await createTimeEntry(docket, task.id, body, { dryRun })
  await finishWrite(context, {
    data: entry,
    text: `${formatTimeSpan(seconds)} logged on ${task.short_id} for ${entry.spent_on}: ${task.title}`,
  })
}

const GROUPS: readonly TimeGroup[] = ['user', 'project', 'tag', 'task', 'day', 'week', 'month']
const GROUP_FIELDS: Record<TimeGroup, keyof TimeReportRow> = {
  user: 'user_name',
  project: 'project_name',
  tag: 'tag_name',
  task: 'task_short_id',
  day: 'day',
  week: 'week',
  month: 'month',
}

async function report(context: CommandContext) {
  const { input, output, connect } = context
  const { docket } = connect()
  const names = (input.text('by') ?? 'user,project').split(',')
  const group_by = names.flatMap((name) => GROUPS.find((group) => group === name) ?? [])
  if (group_by.length < names.length) {
    throw input.wrong(`--by must be some of ${GROUPS.join(', ')}, with commas between.`)
  }
  const [from, until, project] = [input.text('from'), input.text('until'), input.text('project')]
  const spent_after = from === undefined ? undefined : await readDay(docket, from, 'last')
  const query = {
    group_by,
    spent_after,
    spent_before: until === undefined ? undefined : await readEnd(docket, until, spent_after),
    project_id: project && (await findProjectNamed(docket, project)).id,
    ...(input.flag('mine') && { user_id: 'me' }),
  }
  if (input.flag('csv')) {
    const headers = { accept: 'text/csv' }
    const csv = await docket.open({ method: 'GET', path: '/api/v1/reports/time', query, headers })
    return output.write(await csv.text())
  }
  const data = await getTimeReport(docket, query)
  if (output.isJson) return output.result(data, '')
  const rows = output.isTerminal ? addSubtotals(data) : data.rows
  await output.print(rows.length === 0 ? 'No time.' : output.table(rows, columnsOf(data)))
  await output.footer(
    `${formatTimeSpan(data.total.seconds)} from ${data.spent_after} to before ${data.spent_before}`,
  )
}

/**
 * The day after the last one of a report. A date is that day itself, as in the API; a word names the last day,
 * since people who say "until today" mean today as well.
 */
async function readEnd(docket: Docket, text: string, from: string | undefined): Promise<string> {
  if (isDate(text)) return text
  const last = await readDay(docket, text, 'last')
  // The report from monday until friday is that of one week, on whichever day it is read.
  const isBefore = from !== undefined && last < from && isWeekday(text)
  return dayPlus((isBefore && dayFrom(dayPlus(from, -1), text, 'next')) || last, 1)
}

/**
 * The rows of a report by two groups as people read them: those of the same first group together, with their
 * sum below. Time is in the rows of each of its tags, so a sum over tags would count it twice.
 */
function addSubtotals({ group_by: [first, second, third], rows }: TimeReport): TimeReportRow[] {
  if (!first || !second || second === 'tag' || third) return rows
  const groups = new Map<string, TimeReportRow[]>()
  for (const row of rows) {
    // Two people may have the same name.
    const key = JSON.stringify(Object.entries(row).filter(([name]) => name.startsWith(first)))
    const group = groups.get(key) ?? []
    group.push(row)
    groups.set(key, group)
  }
  return [...groups.values()].flatMap((group) => {
    const total = {
      ...group[0],
      [GROUP_FIELDS[second]]: 'Total',
      seconds: 0,
      billable_seconds: 0,
      entries: 0,
    }
    for (const row of group) {
      total.seconds += row.seconds
      total.billable_seconds += row.billable_seconds
      total.entries += row.entries
    }
    return group.length > 1 ? [...group, total] : group
  })
}

function columnsOf({ group_by }: TimeReport): TableColumn<TimeReportRow>[] {
  const groups = group_by.map((group, at): TableColumn<TimeReportRow> => {
    const value = (row: TimeReportRow) => String(row[GROUP_FIELDS[group]] ?? '–')
    return { title: group.toUpperCase(), value, ...(at === 0 && { isFlexible: true }) }
  })
  return [
    ...groups,
    { title: 'TIME', value: (row) => formatTimeSpan(row.seconds) },
    { title: 'BILLABLE', value: (row) => formatTimeSpan(row.billable_seconds), from: 60 },
  ]
}

/** How people work on a task: its branch, its status and its time. */
export const TIME_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'start',
    summary: 'Start work on a task: its git branch, its status and a timer',
    details:
      'Switches to the branch of the task, which is created with a name such as eng-42-fix-login, moves the task to the first started status of its project, and starts a timer, which stops the one that you had.',
    args: [TASK_ARGUMENT],
    options: {
      'no-branch': { about: 'Leave the git branch as it is' },
      'no-timer': { about: 'Start no timer' },
    },
    isWrite: true,
    run: start,
  },
  {
    name: 'stop',
    summary: 'Stop your timer',
    args: [{ ...TASK_ARGUMENT, about: 'Only if it runs on this task' }],
    isWrite: true,
    run: stop,
  },
  {
    name: 'log',
    summary: 'Log time on a task',
    args: [
      { name: 'time', about: 'Such as 1h30m, 45m or 1.5h' },
      TASK_ARGUMENT,
      { name: 'note', about: 'What was done', isOptional: true, isRest: true },
    ],
    options: {
      on: { value: 'DAY', about: `The day it counts for: ${describeDays('last')}; default: today` },
      billable: { short: 'b', about: 'It is to be billed' },
    },
    isWrite: true,
    run: log,
  },
  {
    name: 'report',
    summary: 'Sum up time, of this month unless you say otherwise',
    details: 'On a terminal, a report by two groups also has the total of each first one.',
    options: {
      by: { value: 'GROUPS', about: `Up to three of ${GROUPS.join(', ')}; default: user,project` },
      from: { value: 'DAY', about: `The first day: ${describeDays('last')}` },
      until: { value: 'DAY', about: 'The last day as a word, or the date of the day after it' },
      project: { short: 'P', value: 'PROJECT', about: 'Only this project' },
      mine: { short: 'm', about: 'Only your own time' },
      csv: { about: 'Print CSV' },
    },
    isLong: true,
    run: report,
  },
]
