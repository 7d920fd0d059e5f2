import type { Role } from '#wire/rights.ts'

/*
 * What happened in the demo workspace. Days are counted from today, so those that are over are
 * negative; nobody works at weekends (`createDemoCalendar`). plan-history.ts does all of it through the operations of the API.
 */

export type DemoPerson = 'maya' | 'jonas' | 'priya' | 'tom' | 'elif'

/** The people of the demo workspace. The first one is its owner. */
export const DEMO_PEOPLE: Record<DemoPerson, { name: string; role: Role }> = {
  maya: { name: 'Maya Okafor', role: 'owner' },
  jonas: { name: 'Jonas Keller', role: 'admin' },
  priya: { name: 'Priya Raman', role: 'member' },
  tom: { name: 'Tom Lindqvist', role: 'member' },
  elif: { name: 'Elif Demir', role: 'guest' },
}

/** The guest, whose hours are charged. Those of the others are not. */
export const FREELANCER: DemoPerson = 'elif'

/** Before the first task, also where the days of both become a Friday. */
export const WORKSPACE_CREATED_ON = -88

export type DemoProject = 'website' | 'portal'

export const DEMO_PROJECTS = {
  website: {
    name: 'Website relaunch',
    prefix: 'DEMO',
    color: '#6366f1',
    icon: '🚀',
    description: 'The new site, from the first interview to the launch.',
    lead: 'priya',
    tags: {
      design: '#8b5cf6',
      content: '#0ea5e9',
      frontend: '#22c55e',
      bug: '#ef4444',
      launch: '#f59e0b',
    },
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

type DemoTag = {
  [project in DemoProject]: keyof (typeof DEMO_PROJECTS)[project]['tags']
}[DemoProject]

/** Saved views of the website project, which its owner pins. */
export const DEMO_VIEWS = [
  { on: -41, by: 'jonas', name: 'Bugs', view: 'board', f: 'tag:bug', is_shared: true },
  {
    on: -24,
    by: 'jonas',
    name: 'Road to launch',
    view: 'timeline',
    f: 'tag:launch',
    is_shared: true,
  },
  {
    on: -16,
    by: 'maya',
    name: 'My next two weeks',
    f: 'status:open assignee:me due:<14d',
    group: 'due',
  },
] as const

/** The days on which the owner marks the inbox: all but the last days are done. */
export const DEMO_INBOX = [
  ...[-70, -56, -42, -28, -14, -5].map((on) => ({ on, marks: { done: true } })),
  { on: -2, marks: { read: true } },
]

/** Nothing is ever sent to its name, and no server can have it (RFC 2606). */
export const DEMO_WEBHOOK = {
  createdOn: -13,
  by: 'jonas',
  url: 'https://hooks.demo.example/team-chat',
  description: 'Posts to the team chat what was created, completed and discussed',
  events: ['task.created', 'task.completed', 'comment.created'],
  /** The times of day at which the receiver did not reply 200. The last reply disables the webhook. */
  failures: [
    { on: -5, from: 12.8, to: 15.8, status: 503, body: 'Service Unavailable' },
    { on: -2, from: 12.5, to: 23, status: 410, body: '{"error":"channel_archived"}' },
  ],
} as const

/** A comment, written on a day or some minutes ago, or a reply to the one before, minutes later. */
type DemoComment = readonly [
  by: DemoPerson,
  at: number | { minutesAgo: number } | 'reply',
  /** `{maya}` mentions her. */
  text: string,
]

export interface DemoTask {
  title: string
  /** By this key other tasks refer to it as their parent or blocker. */
  key?: string
  description?: string
  /** Who created it, by default the admin. */
  by?: DemoPerson
  assignees?: readonly DemoPerson[]
  /** When it was created, when work on it began, and when its first assignee completed it. */
  days: readonly [created: number, started?: number, completed?: number]
  reviewOn?: number
  canceledOn?: number
  isBacklog?: true
  /** It is done on its due day, and a week later again. */
  isWeekly?: true
  priority?: 'low' | 'medium' | 'high' | 'urgent'
  tags?: readonly DemoTag[]
  /** By default the days on which it was started and completed. */
  start?: number
  due?: number
  /** A later due date, set on a day. */
  postponed?: { on: number; due: number }
  /** Estimated. */
  hours?: number
  /** Logged by its assignees in turn. */
  log?: readonly (readonly [on: number, hours: number, note?: string])[]
  /** Started so many minutes ago by its first assignee, and still running. */
  timer?: readonly [minutes: number, note: string]
  parent?: string
  blockedBy?: readonly string[]
  comments?: readonly DemoComment[]
}

/** Of the tasks created on one day, one follows those that it refers to. */
// biome-ignore format: A table is read by its rows.
export const DEMO_TASKS: Record<DemoProject, readonly DemoTask[]> = {
  website: [
    { title: 'Agree on what the new site is for', key: 'brief',
      description: 'One page: who comes, what they look for, what we want them to do next.',
      by: 'maya', assignees: ['maya'], days: [-84, -83, -78], priority: 'high', tags: ['content'],
      hours: 8, log: [[-83, 4.75, 'Talks with sales and support'], [-78, 4.75, 'Write-up']],
      comments: [
        ['maya', -78, 'Signed off by sales and support. {jonas}, you can plan with it.'],
        ['jonas', 'reply', 'Great, thank you. I cut the launch list accordingly.'],
      ] },
    { title: 'Interview six customers', key: 'interviews',
      description: 'Three who bought this year, three who left. Notes go to the shared folder.',
      assignees: ['jonas', 'maya'], days: [-84, -82, -74], tags: ['content'], due: -75, hours: 12,
      log: [[-82, 4.75, 'First two interviews'], [-78, 4.75, 'Two more, one by phone'], [-74, 4.5, 'Last two, summary']],
      comments: [
        ['jonas', -76, 'Four of six said the same: they cannot find the prices. Nobody mentioned the blog.'],
        ['priya', 'reply', 'That settles the main menu for me.'],
      ] },
    { title: 'Take stock of the 140 pages we have', key: 'inventory',
      description: '- keep\n- merge\n- let go\n\nTraffic of the last twelve months is in the sheet.',
      assignees: ['elif'], days: [-83, -81, -73], tags: ['content'], hours: 14,
      log: [[-81, 4.25, 'Pages A to M'], [-77, 4.5, 'Pages N to Z'], [-73, 4.25, 'Redirects noted']] },
    { title: 'Collect the numbers: visits, searches, sign-ups', by: 'maya', assignees: ['tom'],
      days: [-83, -82, -80], hours: 4, log: [[-80, 3.5]] },
    { title: 'Compare five sites of competitors', assignees: ['priya'], days: [-82, -80, -76],
      priority: 'low', tags: ['design'], hours: 5, log: [[-76, 4]] },
    { title: 'Decide which pages we let go', by: 'elif', assignees: ['maya'], days: [-75, -72, -69],
      tags: ['content'], hours: 3, blockedBy: ['inventory'], log: [[-69, 2.5]],
      comments: [
        ['elif', -72, '63 pages had fewer than ten visitors in a year. I would keep two of them: imprint and press.'],
      ] },
    { title: 'Draw the new sitemap', key: 'sitemap', assignees: ['priya'], days: [-75, -72, -68],
      priority: 'high', tags: ['design'], hours: 5, blockedBy: ['brief', 'inventory'],
      log: [[-68, 6]],
      comments: [
        ['priya', -70, 'Version 2 has prices in the main menu and support in the footer. {maya}, {jonas}: any objections?'],
        ['maya', 'reply', 'None. I like that it fits on one slide.'],
        ['jonas', 'reply', 'Fine with me, sales will be happy.'],
      ] },
    { title: 'Test the menu with five people from outside', by: 'priya', assignees: ['priya'],
      days: [-70, -67, -65], tags: ['design'], hours: 6, blockedBy: ['sitemap'],
      log: [[-65, 5, 'Tree test, five sessions']] },
    { title: 'Choose a system to edit the content',
      description: 'Must: drafts, roles, an API. Nice: previews for people without an account.',
      by: 'maya', assignees: ['tom'], days: [-79, -75, -66], reviewOn: -67, priority: 'high',
      due: -68, hours: 10,
      log: [[-75, 4.5, 'Read the offers'], [-70, 4.5, 'Trial of three'], [-66, 4.5, 'Second trial, write-up']],
      comments: [
        ['tom', -68, 'The small one wins: everything is a file, and the build takes eleven seconds. It cannot do approval by two people, though.'],
        ['maya', 'reply', 'We do that in here anyway. Go.'],
      ] },
    { title: 'Budget for photos and fonts', by: 'priya', assignees: ['maya'], days: [-77, -73, -71],
      hours: 2, log: [[-71, 1.5]] },
    { title: 'Ask the lawyer about cookies and analytics', by: 'tom', assignees: ['jonas'],
      days: [-74, -69, -62], due: -66, hours: 3, log: [[-62, 4]],
      comments: [
        ['jonas', -62, 'Short answer: without tracking across sites we need no banner. So we go without.'],
        ['tom', 'reply', 'Best news this month.'],
      ] },
    { title: 'Personas for the kick-off',
      description: 'The interviews say enough, nobody would read another deck.', by: 'jonas',
      days: [-82], canceledOn: -73, isBacklog: true, priority: 'low', tags: ['content'] },
    { title: 'Two directions for the look', by: 'maya', assignees: ['priya'], days: [-71, -68, -63],
      tags: ['design'], due: -64, hours: 14,
      log: [[-68, 5.25, 'Mood and type'], [-65, 5.5, 'Home page, direction A'], [-63, 5.25, 'Direction B']],
      comments: [
        ['maya', -64, 'Direction B. It looks like us, A looks like a bank.'],
        ['tom', 'reply', 'B also needs only one font file.'],
      ] },
    { title: 'Colors that pass contrast in light and dark', by: 'priya', assignees: ['priya'],
      days: [-66, -62, -59], tags: ['design'], hours: 5, log: [[-59, 4.5]] },
    { title: 'Type scale and spacing', by: 'priya', assignees: ['priya'], days: [-66, -61, -58],
      tags: ['design'], hours: 4, log: [[-58, 4]] },
    { title: 'Icons: 24 of them, one stroke width', by: 'priya', assignees: ['priya'],
      days: [-64, -57, -52], priority: 'low', tags: ['design'], hours: 8,
      log: [[-57, 3.5], [-52, 3.5]] },
    { title: 'Design the page templates', key: 'design',
      description: 'Six templates carry the whole site. **Mobile first**: two thirds read on a phone.',
      by: 'maya', assignees: ['priya'], days: [-60, -56], priority: 'high', tags: ['design'],
      start: -56, due: -6, postponed: { on: -9, due: 4 }, hours: 40, blockedBy: ['sitemap'],
      log: [[-56, 6], [-1, 6]],
      comments: [
        ['jonas', -22, 'The article template reads beautifully. Could the price table breathe a little more?'],
        ['priya', 'reply', 'Yes: next version tomorrow. {tom}, does it fit your grid?'],
        ['tom', 'reply', 'It does, 12 columns are enough.'],
        ['priya', -9, 'Two templates are left, and I was out sick for three days. {maya}, I moved the date by ten days.'],
        ['maya', 'reply', 'No problem, the build has enough to do until then.'],
      ] },
    { title: 'Template: home page', key: 'home design', parent: 'design', by: 'priya',
      assignees: ['priya'], days: [-60, -55, -47], reviewOn: -49, tags: ['design'], hours: 10,
      log: [[-55, 5.75, 'Sketches'], [-47, 5.75, 'Large and small screen']],
      comments: [
        ['maya', -49, 'The headline could be shorter, everything else is spot on.'],
        ['elif', 'reply', 'I have a version with five words, will post it here.'],
      ] },
    { title: 'Template: article', parent: 'design', by: 'priya', assignees: ['priya'],
      days: [-60, -46, -40], reviewOn: -42, tags: ['design'], hours: 6, log: [[-40, 5.5]] },
    { title: 'Template: service page', parent: 'design', by: 'priya', assignees: ['priya'],
      days: [-60, -40, -33], reviewOn: -34, tags: ['design'], hours: 6,
      log: [[-40, 4], [-33, 4]] },
    { title: 'Template: prices', parent: 'design', by: 'priya', assignees: ['priya', 'jonas'],
      days: [-60, -25], reviewOn: -3, tags: ['design'], due: 1, hours: 8,
      log: [[-25, 4.75, 'First version'], [-1, 4.75, 'Second version, after the talk with sales']],
      comments: [
        ['priya', { minutesAgo: 150 }, '{maya}, the third plan now has its own column. Could you look at it today? Then {tom} can start tomorrow.'],
      ] },
    { title: 'Template: sign-up form', parent: 'design', by: 'priya', assignees: ['priya'],
      days: [-60, -4], tags: ['design'], due: 3, hours: 5, log: [[-1, 3.5, 'Fields and order']],
      timer: [35, 'Error messages'] },
    { title: 'Template: page not found', parent: 'design', by: 'priya', assignees: ['priya'],
      days: [-60], priority: 'low', tags: ['design'], due: 4, hours: 2 },
    { title: 'Pictures for sharing on social media', by: 'elif', assignees: ['priya'],
      days: [-60, -31, -27], priority: 'low', tags: ['design'], hours: 4, log: [[-27, 3]] },
    { title: 'Empty states and loading states', by: 'tom', assignees: ['priya'],
      days: [-50, -17, -9], reviewOn: -10, tags: ['design'], hours: 6,
      log: [[-17, 3.25], [-9, 3.25]] },
    { title: 'Motion: what moves, and what does not',
      description: 'Everything below 200 ms, nothing for people who prefer reduced motion.',
      by: 'priya', assignees: ['priya', 'tom'], days: [-50, -12, -5], tags: ['design', 'frontend'],
      hours: 4, log: [[-5, 4.5]],
      comments: [
        ['tom', -5, 'With reduced motion the menu now simply appears. It feels faster, too.'],
      ] },
    { title: 'Print styles for the price list', by: 'jonas', assignees: ['tom'],
      days: [-44, -4, -3], priority: 'low', tags: ['frontend'], hours: 3, log: [[-3, 2]] },
    { title: 'Animated illustration for the home page',
      description: 'Nice, but 400 kB on a phone are not.', by: 'priya', days: [-51],
      canceledOn: -44, isBacklog: true, priority: 'low', tags: ['design'],
      comments: [
        ['tom', -45, 'That is more than all the rest of the page together.'],
      ] },
    { title: 'Repository, checks and a preview for each branch', by: 'tom', assignees: ['tom'],
      days: [-65, -62, -57], priority: 'high', tags: ['frontend'], hours: 8,
      log: [[-62, 4.5, 'Set up'], [-57, 4.5, 'Previews']] },
    { title: 'Server for staging', by: 'tom', assignees: ['tom'], days: [-63, -56, -54],
      tags: ['frontend'], hours: 4, log: [[-54, 5]] },
    { title: 'Build the templates', key: 'build', by: 'maya', assignees: ['tom'], days: [-56, -50],
      priority: 'high', tags: ['frontend'], start: -50, due: 10, hours: 80,
      log: [[-50, 5.75, 'Grid and type'], [-43, 5.75, 'Header and footer'], [-36, 5.75, 'Home page, first half'], [-29, 5.75, 'Home page, rest'], [-22, 6], [-15, 5.75], [-8, 6], [-1, 5.75]],
      comments: [
        ['tom', -19, 'Home, article and service page are on staging. Prices and sign-up wait for the design.'],
        ['maya', -2, 'Looks great on my phone. {tom}, what do you need to keep the 10 days?'],
        ['tom', 'reply', 'The price template by tomorrow, and nobody new in my calendar.'],
      ] },
    { title: 'Header, footer and main menu', parent: 'build', by: 'tom', assignees: ['tom'],
      days: [-55, -50, -44], reviewOn: -45, tags: ['frontend'], hours: 10,
      log: [[-50, 5.5], [-44, 5.5]] },
    { title: 'Build: home page', parent: 'build', by: 'tom', assignees: ['tom'],
      days: [-50, -43, -36], reviewOn: -37, tags: ['frontend'], hours: 12,
      blockedBy: ['home design'], log: [[-43, 4.75], [-39, 5], [-36, 4.75]] },
    { title: 'Build: article', parent: 'build', by: 'tom', assignees: ['tom'],
      days: [-50, -35, -30], reviewOn: -31, tags: ['frontend'], hours: 8,
      log: [[-35, 3.5], [-30, 3.5]] },
    { title: 'Build: service page', parent: 'build', by: 'tom', assignees: ['tom'],
      days: [-50, -28, -20], reviewOn: -21, tags: ['frontend'], hours: 8,
      log: [[-28, 4.5], [-20, 4.5]] },
    { title: 'Build: prices', parent: 'build', by: 'tom', assignees: ['tom'], days: [-50],
      tags: ['frontend'], start: 2, due: 6, hours: 10 },
    { title: 'Build: sign-up form', parent: 'build', by: 'tom', assignees: ['tom'], days: [-50],
      priority: 'high', tags: ['frontend'], start: 4, due: 9, hours: 12 },
    { title: 'Pictures in three sizes, lazily loaded', by: 'tom', assignees: ['tom'],
      days: [-52, -40, -37], tags: ['frontend'], hours: 5, log: [[-37, 4.5]] },
    { title: 'Form for contact requests, without a captcha', by: 'jonas', assignees: ['tom'],
      days: [-52, -34, -28], tags: ['frontend'], due: -30, hours: 6,
      log: [[-34, 4.25], [-28, 4.25]],
      comments: [
        ['tom', -29, 'A hidden field and a minimum time catch nearly all spam. We had three in a week.'],
      ] },
    { title: 'Visit counts without cookies', by: 'maya', assignees: ['tom'], days: [-55, -33, -31],
      tags: ['frontend'], hours: 4, log: [[-31, 3]] },
    { title: 'Logo is blurred on large screens', by: 'elif', assignees: ['tom'],
      days: [-35, -34, -34], priority: 'low', tags: ['bug', 'frontend'], log: [[-34, 0.5]] },
    { title: 'Back button loses the position in the list of articles', by: 'priya',
      assignees: ['tom'], days: [-29, -27, -25], tags: ['bug', 'frontend'], hours: 2,
      log: [[-25, 3]] },
    { title: 'Search engines index the staging site',
      description: 'A customer found it. `noindex` is missing on everything except the home page.',
      by: 'jonas', assignees: ['tom'], days: [-24, -24, -24], priority: 'urgent',
      tags: ['bug', 'launch'], log: [[-24, 1.5]],
      comments: [
        ['tom', -24, 'Fixed, and staging has a password now.'],
      ] },
    { title: 'Dates are one day off in the news list', by: 'elif', assignees: ['tom'],
      days: [-18, -17, -17], priority: 'medium', tags: ['bug', 'frontend'], log: [[-17, 2]],
      comments: [
        ['tom', -17, 'Midnight in UTC is the day before in New York. Fixed with a test.'],
      ] },
    { title: 'Keyboard focus is invisible on dark sections', by: 'priya', assignees: ['tom'],
      days: [-14, -13, -11], tags: ['bug', 'frontend'], hours: 2, log: [[-11, 1.5]] },
    { title: 'Form sends twice on a slow connection', by: 'maya', assignees: ['tom'],
      days: [-10, -6, -5], priority: 'high', tags: ['bug', 'frontend'], log: [[-5, 2.5]] },
    { title: 'Menu covers the headline on narrow screens',
      description: 'Seen at 360 px in Firefox and Safari.\n\n1. Open the home page\n2. Open the menu',
      by: 'elif', assignees: ['tom'], days: [-2], priority: 'urgent', tags: ['bug', 'frontend'],
      due: 0,
      comments: [
        ['elif', -1, 'Found it on my own phone. Screenshot follows, {tom}.'],
      ] },
    { title: 'Umlauts are broken in the confirmation email', by: 'jonas', assignees: ['tom'],
      days: [-3, -1], priority: 'high', tags: ['bug'], due: -1, log: [[-1, 1]] },
    { title: 'Quotation marks in articles are straight', by: 'elif', assignees: ['tom'],
      days: [-9, -3], reviewOn: -1, priority: 'low', tags: ['bug', 'content'], due: 2,
      log: [[-1, 1]] },
    { title: 'Prices flicker when the language changes',
      description: 'Only on the first visit, and only in Firefox.', by: 'jonas', days: [-5],
      isBacklog: true, priority: 'low', tags: ['bug', 'frontend'] },
    { title: 'Check contrast and keyboard use', key: 'accessibility', by: 'maya',
      assignees: ['priya', 'tom'], days: [-56], priority: 'medium', tags: ['frontend', 'launch'],
      start: 11, due: 13, hours: 10, blockedBy: ['build'] },
    { title: 'Measure page speed on a slow phone', key: 'speed',
      description: 'Goal: readable after 1.5 seconds on the phone from the drawer.', by: 'maya',
      assignees: ['tom'], days: [-56], priority: 'medium', tags: ['frontend', 'launch'], start: 12,
      due: 14, hours: 6, blockedBy: ['build'] },
    { title: 'Search within the site', by: 'jonas', days: [-58], isBacklog: true, priority: 'low',
      tags: ['frontend'], hours: 16,
      comments: [
        ['priya', -52, 'After the launch, when we know what people look for.'],
      ] },
    { title: 'Dark mode', by: 'tom', days: [-38], isBacklog: true, priority: 'low',
      tags: ['frontend', 'design'], hours: 10 },
    { title: 'Chat bubble in the corner', description: 'Nobody asked for it in the interviews.',
      by: 'jonas', assignees: ['jonas'], days: [-46], canceledOn: -39, priority: 'low' },
    { title: 'How we sound: a page of rules for writing', by: 'maya', assignees: ['elif'],
      days: [-67, -63, -56], tags: ['content'], hours: 6, log: [[-63, 3.75], [-56, 3.75]],
      comments: [
        ['elif', -57, 'Rule one: say “you” more often than “we”. I counted the old home page: 31 to 2 for “we”.'],
        ['maya', 'reply', 'Ouch. Thank you!'],
      ] },
    { title: 'Write the texts of the ten main pages', key: 'texts', by: 'maya', assignees: ['elif'],
      days: [-58, -53], priority: 'high', tags: ['content', 'launch'], start: -53, due: 5,
      hours: 44, blockedBy: ['sitemap'], log: [[-53, 6], [-27, 6], [-1, 6]] },
    { title: 'Text: home page', parent: 'texts', by: 'elif', assignees: ['elif'],
      days: [-58, -51, -45], reviewOn: -46, tags: ['content'], hours: 5,
      log: [[-51, 3.25], [-45, 3.25]] },
    { title: 'Text: about us', parent: 'texts', by: 'elif', assignees: ['elif'],
      days: [-58, -44, -38], reviewOn: -39, tags: ['content'], hours: 4, log: [[-38, 3.5]] },
    { title: 'Text: services, three pages', parent: 'texts', by: 'elif', assignees: ['elif'],
      days: [-58, -37, -26], reviewOn: -29, tags: ['content'], due: -28, hours: 12,
      log: [[-37, 5.25, 'Planning and permits'], [-31, 5.25, 'Construction'], [-26, 5, 'Maintenance, corrections']] },
    { title: 'Text: customer stories', parent: 'texts', by: 'elif', assignees: ['elif'],
      days: [-58, -20, -6], reviewOn: -8, tags: ['content'], hours: 9, log: [[-20, 5], [-6, 5]],
      comments: [
        ['elif', -9, 'Both customers have approved their quotes. The second wants the photo with the dog.'],
        ['maya', 'reply', 'With the dog, obviously.'],
      ] },
    { title: 'Text: prices, wording with sales', parent: 'texts', by: 'elif', assignees: ['maya'],
      days: [-58, -8], priority: 'high', tags: ['content'], due: -1, hours: 4, log: [[-1, 2.5]],
      comments: [
        ['maya', -7, 'Sales answer on Thursday. Until then with the old names.'],
        ['jonas', { minutesAgo: 95 }, '{maya}, sales are fine with “Start, Team, Company”. Only the footnote about VAT is missing.'],
      ] },
    { title: 'Text: imprint and privacy', parent: 'texts', by: 'elif', assignees: ['jonas'],
      days: [-58, -6], tags: ['content'], due: 2, hours: 3, log: [[-1, 1.5]],
      comments: [
        ['elif', -5, 'The privacy page still names the old newsletter service.'],
      ] },
    { title: 'Approve the texts of the home page and services', parent: 'texts', by: 'elif',
      assignees: ['maya'], days: [-5, -1], priority: 'high', tags: ['content'], due: 0, hours: 2,
      comments: [
        ['elif', -1, '{maya}, both are in the review folder. Comments in the margin, please.'],
      ] },
    { title: 'Photos of the team', parent: 'texts', by: 'maya', assignees: ['jonas'], days: [-58],
      tags: ['content'], start: 3, due: 5, hours: 6,
      comments: [
        ['jonas', -8, 'The photographer comes next week. Please no stripes.'],
      ] },
    { title: 'Photos of three finished projects', by: 'jonas', assignees: ['jonas'],
      days: [-58, -43, -32], tags: ['content'], due: -35, hours: 5,
      log: [[-43, 3.5], [-32, 3.5]] },
    { title: 'Glossary: 20 words that customers ask about', by: 'elif', assignees: ['elif'],
      days: [-58, -30, -15], priority: 'low', tags: ['content'], hours: 6, log: [[-15, 5]] },
    { title: 'Move 77 articles from the old site', by: 'tom', assignees: ['elif', 'tom'],
      days: [-60, -36, -19], tags: ['content', 'launch'], hours: 16,
      log: [[-36, 4.75, 'Script for the import'], [-30, 4.75, 'First forty'], [-25, 4.75, 'Pictures by hand'], [-19, 4.75, 'The rest']] },
    { title: 'Descriptions for all pictures', by: 'priya', assignees: ['elif'],
      days: [-44, -12, -4], tags: ['content'], hours: 5, log: [[-4, 4.5]] },
    { title: 'Choose who sends our newsletter',
      description: 'Three offers; data must stay in Europe.', assignees: ['jonas'],
      days: [-46, -15], reviewOn: -4, priority: 'medium', due: -2, hours: 4, log: [[-1, 3]],
      comments: [
        ['jonas', -4, 'Two are left. {maya}, which budget does it come from?'],
      ] },
    { title: 'Sign the contract with the new host', by: 'tom', assignees: ['maya'], days: [-12],
      priority: 'high', tags: ['launch'], due: 3, hours: 1,
      comments: [
        ['tom', -3, '{maya}, their offer is valid until Friday next week. PDF is in the folder.'],
      ] },
    { title: 'Redirect the old addresses', key: 'redirects',
      description: '1,140 addresses, of which 60 carry nine tenths of the traffic. Those by hand.',
      by: 'maya', assignees: ['tom'], days: [-54, -5], tags: ['frontend', 'launch'], start: -5,
      due: 12, hours: 8, blockedBy: ['inventory'], log: [[-1, 3]],
      comments: [
        ['tom', -5, 'The sixty by hand are done, the rest follows one rule: same name, new folder.'],
        ['elif', 'reply', 'Please keep /blog/moving-day, it is printed on our boxes.'],
      ] },
    { title: 'Launch', key: 'launch',
      description: 'A quiet morning. Everybody stays within reach until noon.', by: 'maya',
      assignees: ['maya', 'jonas'], days: [-44], isBacklog: true, priority: 'urgent',
      tags: ['launch'], start: 17, due: 18, hours: 8, blockedBy: ['texts', 'build', 'redirects'] },
    { title: 'Rehearse the switch on staging', parent: 'launch', by: 'tom',
      assignees: ['tom', 'jonas'], days: [-44], tags: ['launch'], start: 13, due: 15, hours: 4,
      blockedBy: ['build', 'redirects'] },
    { title: 'Lower the lifetime of the DNS records', parent: 'launch', assignees: ['tom'],
      days: [-44], tags: ['launch'], due: 16 },
    { title: 'Tell the press and our partners', parent: 'launch', assignees: ['maya'], days: [-44],
      tags: ['launch', 'content'], start: 14, due: 17, hours: 3 },
    { title: 'Watch the error log for a day', parent: 'launch', assignees: ['tom', 'jonas'],
      days: [-44], tags: ['launch'], due: 19 },
    { title: 'Write the announcement for customers', by: 'jonas', assignees: ['maya', 'elif'],
      days: [-44], tags: ['content', 'launch'], start: 2, due: 7, hours: 3, blockedBy: ['texts'] },
    { title: 'Celebrate, and write down what we learned', by: 'maya', assignees: ['maya'],
      days: [-44], isBacklog: true, tags: ['launch'], due: 25, hours: 2 },
    { title: 'RSS feed of the news', by: 'tom', assignees: ['tom'], days: [-57, -38, -38],
      priority: 'low', tags: ['frontend'], hours: 2, log: [[-38, 1.5]] },
    { title: 'Structured data for search engines', by: 'jonas', assignees: ['tom'],
      days: [-53, -23, -22], tags: ['frontend'], hours: 4, log: [[-22, 3.5]] },
    { title: 'Subscribe form in the footer', by: 'jonas', assignees: ['tom'], days: [-48, -22, -21],
      tags: ['frontend'], hours: 3, log: [[-21, 4]],
      comments: [
        ['jonas', -21, 'Tried it with a typo in the address, and it told me what was wrong. Lovely.'],
      ] },
    { title: 'Map on the contact page, without cookies', by: 'maya', assignees: ['tom'],
      days: [-47, -16, -15], tags: ['frontend'], hours: 3, log: [[-15, 2]] },
    { title: 'Text: frequently asked questions', by: 'maya', assignees: ['elif'],
      days: [-56, -15, -11], tags: ['content'], hours: 5,
      log: [[-11, 5.5, 'Fourteen questions from support']] },
    { title: 'Titles and descriptions of the twenty most visited pages', by: 'elif',
      assignees: ['elif'], days: [-49, -12, -10], tags: ['content'], hours: 4, log: [[-10, 3.5]] },
    { title: 'Price table on a phone: one plan at a time', by: 'priya', assignees: ['priya'],
      days: [-46, -11, -8], tags: ['design'], hours: 4, log: [[-8, 5]] },
    { title: 'Favicon and touch icons', by: 'tom', assignees: ['priya'], days: [-47, -7, -7],
      priority: 'low', tags: ['design'], hours: 1, log: [[-7, 1]] },
    { title: 'Headings in the right order on all templates', by: 'priya', assignees: ['tom'],
      days: [-45, -3, -2], tags: ['frontend'], hours: 2, log: [[-2, 2.5]] },
    { title: 'Weekly review with everybody',
      description: 'What went out, what is stuck, what comes next. Half an hour, no slides.',
      assignees: ['jonas', 'maya'], days: [-76], isWeekly: true, due: -75, hours: 0.5 },
  ],
  portal: [
    { title: 'Customers can download their invoices',
      description: 'The most frequent question to support: “Could you send me the invoice again?”',
      by: 'maya', assignees: ['tom'], days: [-81, -79, -70], reviewOn: -71, priority: 'high',
      tags: ['feature'], hours: 16,
      log: [[-79, 4.75, 'List'], [-76, 4.5, 'PDF from accounting'], [-73, 4.75, 'Rights'], [-70, 4.5, 'Tests']],
      comments: [
        ['maya', -69, 'Eleven downloads on the first day, and no mail about it since. Well done, {tom}!'],
      ] },
    { title: 'Sign-in fails with an uppercase email address', by: 'jonas', assignees: ['tom'],
      days: [-80, -79, -79], priority: 'high', tags: ['bug'], log: [[-79, 1]] },
    { title: 'Amounts above 10,000 wrap in the invoice list', by: 'priya', assignees: ['tom'],
      days: [-77, -74, -74], priority: 'low', tags: ['bug'], log: [[-74, 0.5]] },
    { title: 'Second factor for administrators', by: 'tom', assignees: ['tom'],
      days: [-76, -70, -60], reviewOn: -61, tags: ['security', 'feature'], due: -62, hours: 14,
      log: [[-70, 5.75, 'Codes'], [-65, 5.75, 'Recovery'], [-60, 5.5, 'Review findings']] },
    { title: 'Answer the security questionnaire of Halden', by: 'maya', assignees: ['jonas'],
      days: [-73, -68, -64], tags: ['security', 'support'], hours: 4, log: [[-64, 5]] },
    { title: 'Session ends while a form is being filled', by: 'jonas', assignees: ['tom'],
      days: [-68, -66, -64], priority: 'medium', tags: ['bug'], hours: 2, log: [[-64, 3]] },
    { title: 'Customers see the state of their requests', by: 'maya', assignees: ['tom', 'priya'],
      days: [-66, -60, -48], reviewOn: -50, tags: ['feature'], due: -50, hours: 20,
      log: [[-60, 5.75, 'States and texts'], [-56, 5.75, 'Page'], [-52, 5.75, 'Notifications'], [-48, 5.75, 'Polish']],
      comments: [
        ['priya', -58, 'Four states are enough: received, in progress, waiting for you, done.'],
        ['jonas', 'reply', '“Waiting for you” will save us so many calls.'],
      ] },
    { title: 'Name and address can be changed by the customer', by: 'jonas', assignees: ['tom'],
      days: [-59, -52, -46], tags: ['feature', 'support'], hours: 8,
      log: [[-52, 3.5], [-46, 3.5]] },
    { title: 'Restore test of the database backup', by: 'tom', assignees: ['tom'],
      days: [-57, -53, -53], tags: ['security'], hours: 3, log: [[-53, 2.5]],
      comments: [
        ['tom', -53, '14 minutes from nothing to a working copy. The notes are in the wiki.'],
      ] },
    { title: 'Emails land in spam at two customers', by: 'jonas', assignees: ['tom'],
      days: [-55, -54, -50], priority: 'high', tags: ['bug', 'support'], log: [[-50, 4]],
      comments: [
        ['tom', -50, 'DKIM had expired with the old domain. Delivered again.'],
      ] },
    { title: 'Upload of contracts, with a check for viruses', by: 'maya', assignees: ['tom'],
      days: [-66, -45, -35], reviewOn: -36, tags: ['feature', 'security'], hours: 18,
      log: [[-45, 5.25, 'Upload'], [-40, 5.5, 'Scanner'], [-35, 5.25, 'Limits and errors']] },
    { title: 'Download hangs at 99 % in Safari', by: 'priya', assignees: ['tom'],
      days: [-43, -42, -41], priority: 'medium', tags: ['bug'], log: [[-41, 2.5]] },
    { title: 'Update all dependencies', by: 'tom', assignees: ['tom'], days: [-41, -39, -38],
      tags: ['security'], hours: 3, log: [[-38, 3.5]] },
    { title: 'Help texts beside each field', by: 'priya', assignees: ['priya'],
      days: [-59, -32, -24], tags: ['support'], hours: 6, log: [[-24, 5.5]] },
    { title: 'Export of all invoices of a year', by: 'jonas', assignees: ['tom'],
      days: [-66, -24, -17], reviewOn: -18, tags: ['feature'], hours: 7,
      log: [[-24, 4], [-17, 4]] },
    { title: 'Two customers with the same name see one logo', by: 'jonas', assignees: ['tom'],
      days: [-28, -26, -26], priority: 'high', tags: ['bug'], log: [[-26, 1.5]] },
    { title: 'Dashboard for support: open requests by age', by: 'maya', assignees: ['priya', 'tom'],
      days: [-56, -20, -10], reviewOn: -11, tags: ['feature', 'support'], hours: 12,
      log: [[-20, 4.25], [-15, 4.5], [-10, 4.25]],
      comments: [
        ['jonas', -9, 'We closed nine old requests in one afternoon, just because we saw them.'],
      ] },
    { title: 'Password reset link works twice',
      description: 'Found by a customer. Low risk, the link expires after an hour; fix it anyway.',
      by: 'jonas', assignees: ['tom'], days: [-19, -19, -18], priority: 'urgent',
      tags: ['bug', 'security'], log: [[-18, 3]] },
    { title: 'Timeouts while invoices are created at the end of the month', by: 'maya',
      assignees: ['tom'], days: [-15, -12, -8], priority: 'high', tags: ['bug'], hours: 5,
      log: [[-8, 6]],
      comments: [
        ['tom', -9, 'One query read every invoice ever. With an index it takes 8 ms instead of 4 seconds.'],
      ] },
    { title: 'Rename “tickets” to “requests” everywhere', by: 'priya', assignees: ['priya'],
      days: [-45, -4, -3], priority: 'low', tags: ['support'], hours: 2, log: [[-3, 2]] },
    { title: 'Portal in German and French', key: 'languages', by: 'maya',
      assignees: ['priya', 'jonas'], days: [-60, -13], tags: ['feature'], start: -13, due: 9,
      hours: 24, log: [[-13, 5.5, 'Texts collected'], [-1, 5.5, 'German, first half']] },
    { title: 'Find a native speaker to check the French texts', parent: 'languages', by: 'priya',
      assignees: ['maya'], days: [-7], priority: 'medium', due: -3,
      comments: [
        ['priya', -2, '{maya}, did your former colleague from Lyon answer?'],
      ] },
    { title: 'Notify customers 14 days before a contract ends', by: 'jonas', assignees: ['tom'],
      days: [-52, -4], tags: ['feature'], start: -4, due: 8, hours: 10, log: [[-1, 4]] },
    { title: 'Terms for the customer portal, version 2', by: 'jonas', assignees: ['maya'],
      days: [-44, -3], reviewOn: -1, tags: ['support'], due: 4, hours: 3, log: [[-1, 1.5]] },
    { title: 'Date filter forgets its value after a reload', by: 'jonas', assignees: ['priya'],
      days: [-4], priority: 'medium', tags: ['bug'], due: 2, hours: 2 },
    { title: 'Prepare the numbers for the meeting on Monday', by: 'maya', assignees: ['maya'],
      days: [-1], priority: 'high', tags: ['support'], due: 0, hours: 1 },
    { title: 'Sign-in with the customer’s own accounts', by: 'maya', days: [-45], isBacklog: true,
      tags: ['feature', 'security'], hours: 30 },
    { title: 'App for phones',
      description: 'The portal works well on a phone. We ask again when a customer does.',
      by: 'jonas', days: [-62], canceledOn: -48, isBacklog: true, priority: 'low',
      tags: ['feature'] },
    { title: 'Shorter sessions for administrators', by: 'tom', assignees: ['tom'],
      days: [-63, -33, -32], tags: ['security'], hours: 2, log: [[-32, 1.5]] },
    { title: 'Customers see when and where they signed in', by: 'tom', assignees: ['tom'],
      days: [-64, -29, -27], tags: ['security', 'feature'], hours: 6, log: [[-27, 5]] },
    { title: 'Rate limit for password resets', by: 'tom', assignees: ['tom'], days: [-46, -16, -16],
      tags: ['security'], hours: 2, log: [[-16, 2]] },
    { title: 'Page for planned maintenance', by: 'jonas', assignees: ['tom'], days: [-51, -13, -12],
      tags: ['support'], hours: 2, log: [[-12, 2.5]] },
    { title: 'Due date in the list of invoices', by: 'jonas', assignees: ['tom'],
      days: [-49, -11, -10], tags: ['feature'], hours: 2, log: [[-10, 1.5]] },
    { title: 'Show the contact person on the start page', by: 'maya', assignees: ['priya'],
      days: [-48, -4, -2], tags: ['feature', 'support'], hours: 4, log: [[-2, 3.5]],
      comments: [
        ['jonas', -2, 'Two customers wrote that they like to see a face. One asked for a better photo of me.'],
      ] },
    { title: 'Close the accounts of customers who left last year', by: 'tom', assignees: ['jonas'],
      days: [-47, -2, -1], tags: ['security'], hours: 3, log: [[-1, 2]] },
  ],
}
