import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { median, reportFigure } from '../support/figures.ts'
import type { DocketProcess } from '../support/processes.ts'
import type { SeededWorkspace } from '../support/seed.ts'

const ROUNDS = 5
const REQUESTS_PER_ROUND = 20
const PAGE = 50
const RETRY_MS = 1_000
/** The goal: at most this factor with a hundred times as many tasks, or with a thousand times. */
const goalFor = (name: string, times: number) => {
  if (COMMON_SEARCHES.includes(name)) return { most: times / 5 }
  return { most: times > 100 ? 1.5 : 1.3 }
}
/** The index collects all tasks with a common word first (docs/spec/reliability.md#costs-that-grow). */
const COMMON_SEARCHES = ['search, common word', 'search, two words', 'search of all, common word']

/** A server with a project of a certain size. */
export interface SizedProject {
  docket: DocketProcess
  seeded: SeededWorkspace
  tasks: number
}

/** Compares the same requests on a small and a large project, which should take equally long. */
export async function compareProjectSizes(small: SizedProject, large: SizedProject): Promise<void> {
  const counts = [large, small].map(({ tasks }) => tasks.toLocaleString('en'))
  console.log(`Latency with ${counts.join(' tasks / with ')}`)
  for (const name of Object.keys(createPaths(small.seeded))) {
    const paths = [createPaths(small.seeded)[name] ?? '', createPaths(large.seeded)[name] ?? '']
    await compare(name, (sized, at) => ask(sized, 'GET', paths[at] ?? ''))
  }
  const pages = [await pageOf(small, 10), await pageOf(large, 500)]
  await compare('the 500th page', (sized, at) => ask(sized, 'GET', pages[at] ?? ''))
  let serial = 0
  await compare('create', (sized) => {
    serial += 1
    const { project: project_id } = sized.seeded
    return ask(sized, 'POST', '/api/v1/tasks', {
      project_id,
      title: `The mail of customer ${serial}`,
    })
  })

  async function compare(name: string, run: (sized: SizedProject, at: number) => Promise<unknown>) {
    const rounds: number[][] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      for (const [at, sized] of [small, large].entries()) {
        const times: number[] = []
        for (let n = 0; n < REQUESTS_PER_ROUND; n++) {
          const began = performance.now()
          await run(sized, at)
          times.push(performance.now() - began)
        }
        rounds[at]?.push(median(times))
      }
    }
    const [little = [], much = []] = rounds
    const ratios = much.map((time, round) => time / (little[round] ?? Number.NaN))
    const times = `${median(little).toFixed(2)} → ${median(much).toFixed(2)} ms`
    reportFigure(`${name} (${times})`, ratios, goalFor(name, large.tasks / small.tasks))
  }
}

function createPaths({
  project,
  people,
  tags,
  tasks,
  parent,
}: SeededWorkspace): Record<string, string> {
  const list = `/api/v1/projects/${project}/tasks?limit=${PAGE}`
  const all = `/api/v1/tasks?limit=${PAGE}`
  const [often, seldom] = [
    { who: people[1], tag: tags[1] },
    { who: people[19], tag: tags[19] },
  ]
  return {
    get: `/api/v1/tasks/${tasks[11]}`,
    'by short id': '/api/v1/tasks/LRG-500',
    'the first page': list,
    'sorted by -created_at': `${list}&sort=-created_at`,
    'sorted by -updated_at': `${list}&sort=-updated_at`,
    'sorted by due_date': `${list}&sort=due_date`,
    'sorted by -due_date': `${list}&sort=-due_date`,
    'sorted by -priority': `${list}&sort=-priority`,
    'sorted by number': `${list}&sort=number`,
    'of all projects': all,
    'of all, sorted by -updated_at': `${all}&sort=-updated_at`,
    'of all, sorted by due_date': `${all}&sort=due_date`,
    'of all, sorted by -priority': `${all}&sort=-priority`,
    'status, common': `${list}&status=done`,
    'status, rare': `${list}&status=in_review`,
    'status, none': `${list}&status=backlog`,
    'category, common': `${list}&status_category=started`,
    'open ones': `${list}&completed=false`,
    'open ones of all, by due_date': `${all}&completed=false&sort=due_date`,
    'assignee, common': `${list}&assignee_id=${often.who}`,
    'assignee, rare': `${list}&assignee_id=${seldom.who}`,
    'assignee, rare, sorted by -updated_at': `${list}&assignee_id=${seldom.who}&sort=-updated_at`,
    // Fewer than a page: the smaller project has only eight of them.
    'assigned to me, of all, open, by due_date':
      '/api/v1/tasks?limit=8&assignee_id=me&completed=false&sort=due_date',
    unassigned: `${list}&assignee_id=none`,
    'tag, common': `${list}&tag_id=${often.tag}`,
    'tag, rare': `${list}&tag_id=${seldom.tag}`,
    'priority, common': `${list}&priority=high`,
    'priority, rare': `${list}&priority=urgent`,
    subtasks: `${list}&parent_id=${parent}`,
    'top level': `${list}&parent_id=none`,
    'external id': `${all}&external_source=tracker&external_id=500`,
    'made by a stranger': `${list}&created_by_id=${seldom.who}`,
    'due after a day': `${list}&due_after=2026-03-01&sort=due_date`,
    'changed since': `${all}&sort=updated_at&updated_since=2026-01-01T07:00:00Z`,
    'made before': `${list}&created_before=2026-01-01T00:30:00Z`,
    'completed before': `${list}&completed_before=2026-01-01T00:30:00Z`,
    'deleted ones': `${list}&deleted=only`,
    'search, common word': `${list}&q=invoice`,
    'search, rare word': `${list}&q=zeppelin`,
    'search, two words': `${list}&q=search%20zepp`,
    'search, no such word': `${all}&q=quagga`,
    'search of all, common word': `${all}&q=customer`,
    'search, common word, rare status': `${list}&q=often&status=in_review`,
    'search, common word, rare assignee': `${list}&q=page&assignee_id=${seldom.who}`,
  }
}

/** The path of the n-th page, found by following cursors. */
async function pageOf(sized: SizedProject, n: number): Promise<string> {
  const list = `/api/v1/projects/${sized.seeded.project}/tasks?limit=${PAGE}`
  let path = list
  for (let page = 1; page < n; page++) {
    const { next_cursor } = JSON.parse(await ask(sized, 'GET', path))
    path = `${list}&cursor=${next_cursor}`
  }
  return path
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Asks again if the server sheds load: on a busy machine one of thousands of requests may wait long. */
async function ask(sized: SizedProject, method: string, path: string, body?: object) {
  for (;;) {
    const { status, text } = await send(sized, method, path, body)
    if (status < 300) return text
    if (status !== 503) throw new Error(`${method} ${path}: ${status} ${text}`)
    await pause(RETRY_MS)
  }
}

function send({ docket, seeded }: SizedProject, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${seeded.key}`, 'content-type': 'application/json' }
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request(docket.url + path, { method, agent, headers }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      reply.on('end', () => resolve({ status: reply.statusCode ?? 500, text }))
    })
    asked.on('error', reject).end(body && JSON.stringify(body))
  })
}
