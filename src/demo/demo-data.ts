import type { Role } from '#wire/rights.ts'

/* What happened in the demo workspace. Days are counted from today, so past ones are negative. */

export type DemoPerson = 'maya' | 'jonas' | 'priya' | 'tom' | 'elif'

/** The people of the demo workspace. The first one is its owner. */
export const DEMO_PEOPLE: Record<DemoPerson, { name: string; role: Role }> = {
  maya: { name: 'Maya Okafor', role: 'owner' },
  jonas: { name: 'Jonas Keller', role: 'admin' },
  priya: { name: 'Priya Raman', role: 'member' },
  tom: { name: 'Tom Lindqvist', role: 'member' },
  elif: { name: 'Elif Demir', role: 'guest' },
}

export type DemoProject = 'website' | 'portal'

export const DEMO_PROJECTS = {
  website: {
    name: 'Website relaunch',
    prefix: 'DEMO',
    color: '#6366f1',
    icon: '🚀',
    description: 'The new site, from the first interview to the launch.',
    lead: 'priya',
    tags: { design: '#8b5cf6', content: '#0ea5e9', frontend: '#22c55e', bug: '#ef4444' },
  },
  portal: {
    name: 'Customer portal',
    prefix: 'PORT',
    color: '#0d9488',
    icon: '🔑',
    description: 'Invoices, contracts and support for the customers that we have.',
    lead: 'tom',
    tags: { feature: '#6366f1', support: '#0ea5e9', security: '#f59e0b', bug: '#ef4444' },
  },
} as const

/** Saved views of the website project, which its owner pins. */
export const DEMO_VIEWS = [
  { name: 'Bugs', view: 'board', f: 'tag:bug', is_shared: true },
  { name: 'My next two weeks', f: 'status:open assignee:me due:<14d', group: 'due' },
] as const

export interface DemoTask {
  /** By default `website`. */
  project?: DemoProject
  title: string
  description?: string
  priority?: 'low' | 'medium' | 'high' | 'urgent'
  /** By this key other tasks refer to it as their parent or blocker. */
  key?: string
  /** Who created it, by default the admin. */
  by?: DemoPerson
  assignees?: readonly DemoPerson[]
  /** When it was created, when work on it began, and when its first assignee changed it to `last`. */
  days: readonly [created: number, started?: number | undefined, ended?: number]
  /** By default `done`. */
  last?: 'in_review' | 'canceled'
  isBacklog?: true
  /** It is done on the day when it ended, and due a week later again. */
  isWeekly?: true
  tags?: readonly string[]
  /** By default the day on which it ended. */
  due?: number
  /** Estimated; its first assignee logs about as many. */
  hours?: number
  /** Started so many minutes ago, and still running. */
  timerMinutes?: number
  parent?: string
  blockedBy?: readonly string[]
  /** Written on a day or so many minutes ago; without, a reply. `{maya}` mentions her. */
  comments?: readonly (readonly [by: DemoPerson, text: string, at?: number])[]
}

/** Of the tasks created on one day, one follows those that it refers to. */
// biome-ignore format: A table is read by its rows.
export const DEMO_TASKS: readonly DemoTask[] = [
  { title: 'Agree on what the new site is for', key: 'brief', by: 'maya', assignees: ['maya'],
    days: [-14, -14, -13], priority: 'high', tags: ['content'], hours: 8, comments: [
      ['maya', 'Signed off by sales and support. {jonas}, you can plan with it.', -13],
      ['jonas', 'Great, thank you. I cut the launch list accordingly.']] },
  { title: 'Interview six customers', assignees: ['jonas', 'maya'], days: [-14, -13, -11],
    tags: ['content'], hours: 12 },
  { title: 'Take stock of the 140 pages we have', key: 'inventory', assignees: ['elif'],
    description: '- keep\n- merge\n- let go\n\nTraffic of the last year is in the sheet.',
    days: [-14, -13, -11], tags: ['content'], hours: 10 },
  { title: 'Weekly review with everybody', assignees: ['jonas', 'maya'], days: [-14, -7, -7],
    description: 'What went out, what is stuck, what comes next. No slides.', isWeekly: true },
  { title: 'Draw the new sitemap', key: 'sitemap', assignees: ['priya'], days: [-13, -11, -10],
    priority: 'high', tags: ['design'], hours: 5, blockedBy: ['brief', 'inventory'], comments: [
      ['priya', '{maya}, {jonas}: version 2 has prices in the main menu.', -11],
      ['maya', 'I like that it fits on one slide.']] },
  { title: 'Personas for the kick-off', days: [-13, undefined, -12], last: 'canceled', isBacklog: true,
    description: 'The interviews say enough.', priority: 'low', tags: ['content'] },
  { title: 'Two directions for the look', by: 'maya', assignees: ['priya'], days: [-12, -11, -9],
    tags: ['design'], hours: 11, comments: [
      ['maya', 'Direction B. It looks like us, A looks like a bank.', -9]] },
  { title: 'Design the page templates', key: 'design', by: 'maya', assignees: ['priya'],
    description: 'Six templates carry the whole site. **Mobile first**: most read on a phone.',
    days: [-11, -10], priority: 'high', tags: ['design'], due: 4, hours: 40, blockedBy: ['sitemap'] },
  { title: 'Template: home page', key: 'home design', parent: 'design', assignees: ['priya'],
    days: [-11, -9, -7], tags: ['design'], hours: 10, comments: [
      ['maya', 'The headline could be shorter, everything else is spot on.', -8]] },
  { title: 'Template: article', parent: 'design', assignees: ['priya'], days: [-11, -7, -4],
    tags: ['design'], hours: 6 },
  { title: 'Template: prices', parent: 'design', by: 'priya', assignees: ['priya', 'jonas'],
    days: [-11, -4, -1], last: 'in_review', tags: ['design'], due: 1, hours: 8, comments: [
      ['priya', '{maya}, could you look at it? Then {tom} can start tomorrow.', 150]] },
  { title: 'Template: sign-up form', parent: 'design', assignees: ['priya'], days: [-11, -2],
    tags: ['design'], due: 3, hours: 5, timerMinutes: 35 },
  { title: 'Build the templates', key: 'build', by: 'maya', assignees: ['tom'], days: [-10, -9],
    priority: 'high', tags: ['frontend'], due: 10, hours: 80, comments: [
      ['maya', 'Looks great on my phone. {tom}, what do you need to keep the date?', -2],
      ['tom', 'The price template by tomorrow, and nobody new in my calendar.']] },
  { title: 'Build: home page', parent: 'build', by: 'tom', assignees: ['tom'], days: [-9, -6, -3],
    tags: ['frontend'], hours: 12, blockedBy: ['home design'] },
  { title: 'Build: article', parent: 'build', by: 'tom', assignees: ['tom'], days: [-9, -2],
    tags: ['frontend'], due: 2, hours: 8 },
  { title: 'Build: prices', parent: 'build', by: 'tom', assignees: ['tom'], days: [-9],
    tags: ['frontend'], due: 6, hours: 10 },
  { title: 'Build: sign-up form', parent: 'build', by: 'tom', assignees: ['tom'], days: [-9],
    priority: 'high', tags: ['frontend'], due: 9, hours: 12 },
  { title: 'Write the texts of the ten main pages', key: 'texts', by: 'maya', assignees: ['elif'],
    days: [-10, -9], priority: 'high', tags: ['content'], due: 5, hours: 44 },
  { title: 'Text: home page', parent: 'texts', by: 'elif', assignees: ['elif'], days: [-9, -8, -5],
    tags: ['content'], hours: 5 },
  { title: 'Text: prices, wording with sales', parent: 'texts', by: 'elif', assignees: ['maya'],
    days: [-9, -5], priority: 'high', tags: ['content'], due: -1, hours: 4, comments: [
      ['maya', 'Sales answer on Thursday. Until then with the old names.', -5],
      ['jonas', '{maya}, sales are fine with “Start, Team, Company”.', 95]] },
  { title: 'Approve the texts of the home page', parent: 'texts', by: 'elif', assignees: ['maya'],
    days: [-3, -1], priority: 'high', tags: ['content'], due: 0, hours: 2, comments: [
      ['elif', '{maya}, it is in the review folder. Comments in the margin, please.', -1]] },
  { title: 'Choose who sends our newsletter', assignees: ['jonas'], days: [-8, -5, -4],
    last: 'in_review', due: 1, hours: 4, comments: [
      ['jonas', 'Two are left. {maya}, which budget does it come from?', -4]] },
  { title: 'Sign the contract with the new host', by: 'tom', assignees: ['maya'], days: [-7],
    priority: 'high', due: 3, hours: 1, comments: [
      ['tom', '{maya}, their offer is valid until Friday next week.', -3]] },
  { title: 'Redirect the old addresses', key: 'redirects', by: 'maya', assignees: ['tom'],
    days: [-8, -3], tags: ['frontend'], due: 8, hours: 8, blockedBy: ['inventory'], comments: [
      ['elif', 'Please keep /blog/moving-day, it is printed on our boxes.', -3]] },
  { title: 'Launch', key: 'launch', by: 'maya', assignees: ['maya', 'jonas'], days: [-6], due: 14,
    description: 'A quiet morning. Everybody stays within reach until noon.', isBacklog: true,
    priority: 'urgent', hours: 8, blockedBy: ['texts', 'build', 'redirects'] },
  { title: 'Tell the press and our partners', parent: 'launch', assignees: ['maya'], days: [-6],
    tags: ['content'], due: 4, hours: 3 },
  { title: 'Watch the error log for a day', parent: 'launch', assignees: ['tom'], days: [-6], due: 15 },
  { title: 'Write the announcement for customers', assignees: ['maya', 'elif'], days: [-6],
    tags: ['content'], due: 5, hours: 3, blockedBy: ['texts'] },
  { title: 'Search engines index the staging site', assignees: ['tom'], days: [-6, -6, -6],
    priority: 'urgent', tags: ['bug'], hours: 2 },
  { title: 'Menu covers the headline on narrow screens', by: 'elif', assignees: ['tom'],
    description: 'Seen at 360 px in Firefox.\n\n1. Open the home page\n2. Open the menu',
    days: [-2], priority: 'urgent', tags: ['bug', 'frontend'], due: 0 },
  { title: 'Umlauts are broken in the confirmation email', assignees: ['tom'], days: [-3, -1],
    priority: 'high', tags: ['bug'], due: -1, hours: 1 },
  { title: 'Prices flicker when the language changes', days: [-5], isBacklog: true, priority: 'low',
    tags: ['bug', 'frontend'] },
  { project: 'portal', title: 'Customers can download their invoices', by: 'maya', assignees: ['tom'],
    days: [-14, -13, -10], priority: 'high', tags: ['feature'], hours: 11, comments: [
      ['maya', 'Eleven downloads on the first day. Well done, {tom}!', -9]] },
  { project: 'portal', title: 'Second factor for administrators', by: 'tom', assignees: ['jonas'], days: [-12, -10, -6],
    tags: ['security', 'feature'], due: -7, hours: 12 },
  { project: 'portal', title: 'Timeouts at the end of the month', by: 'maya', assignees: ['tom'], days: [-8, -7, -7],
    priority: 'high', tags: ['bug'], hours: 5 },
  { project: 'portal', title: 'Password reset link works twice', assignees: ['tom'], days: [-5, -5, -4],
    priority: 'urgent', tags: ['bug', 'security'], hours: 3 },
  { project: 'portal', title: 'Portal in German and French', key: 'languages', by: 'maya', assignees: ['priya', 'jonas'],
    days: [-10, -3], tags: ['feature'], due: 9, hours: 24 },
  { project: 'portal', title: 'Find a native speaker to check the French texts', parent: 'languages', by: 'priya',
    assignees: ['maya'], days: [-4], priority: 'medium', tags: ['support'], due: 2 },
  { project: 'portal', title: 'Prepare the numbers for the meeting on Monday', by: 'maya', assignees: ['maya'],
    days: [-1], priority: 'high', tags: ['support'], due: 0, hours: 1 },
]
