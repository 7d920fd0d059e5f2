import type { DemoTask } from '../demo-definitions.ts'

/** What the developers build of the new site. */
export const BUILD_TASKS: readonly DemoTask[] = [
  {
    title: 'Repository, checks and a preview for each branch',
    days: [-65, -62, -57],
    ...{ by: 'tom', assignees: ['tom'], tags: ['frontend'], priority: 'high', hours: 8, spent: 9 },
    notes: ['Set up', 'Previews'],
  },
  {
    title: 'Server for staging',
    days: [-63, -56, -54],
    ...{ by: 'tom', assignees: ['tom'], hours: 4, spent: 5, tags: ['frontend'] },
  },
  {
    title: 'Build the templates',
    key: 'build',
    days: [-56, -50],
    ...{ by: 'maya', assignees: ['tom'], tags: ['frontend'], priority: 'high' },
    ...{ start: -50, due: 10, hours: 80, spent: 46.5 },
    notes: ['Grid and type', 'Header and footer', 'Home page, first half', 'Home page, rest'],
    comments: [
      {
        by: 'tom',
        on: -19,
        text: 'Home, article and service page are on staging. Prices and sign-up wait for the design.',
      },
      {
        by: 'maya',
        on: -2,
        text: 'Looks great on my phone. {tom}, what do you need to keep the 10 days?',
        replies: [
          { by: 'tom', text: 'The price template by tomorrow, and nobody new in my calendar.' },
        ],
      },
    ],
  },
  {
    title: 'Header, footer and main menu',
    ...{ parent: 'build', days: [-55, -50, -44], reviewOn: -45 },
    ...{ by: 'tom', assignees: ['tom'], tags: ['frontend'], hours: 10, spent: 11 },
  },
  {
    title: 'Build: home page',
    ...{ parent: 'build', days: [-50, -43, -36], reviewOn: -37 },
    ...{ by: 'tom', assignees: ['tom'], tags: ['frontend'], hours: 12, spent: 14.5 },
    blockedBy: ['home design'],
  },
  {
    title: 'Build: article',
    ...{ parent: 'build', days: [-50, -35, -30], reviewOn: -31 },
    ...{ by: 'tom', assignees: ['tom'], tags: ['frontend'], hours: 8, spent: 7 },
  },
  {
    title: 'Build: service page',
    ...{ parent: 'build', days: [-50, -28, -20], reviewOn: -21 },
    ...{ by: 'tom', assignees: ['tom'], tags: ['frontend'], hours: 8, spent: 9 },
  },
  {
    title: 'Build: prices',
    ...{ parent: 'build', days: [-50], start: 2, due: 6, hours: 10 },
    ...{ by: 'tom', assignees: ['tom'], tags: ['frontend'] },
  },
  {
    title: 'Build: sign-up form',
    ...{ parent: 'build', days: [-50], start: 4, due: 9, hours: 12, priority: 'high' },
    ...{ by: 'tom', assignees: ['tom'], tags: ['frontend'] },
  },
  {
    title: 'Pictures in three sizes, lazily loaded',
    days: [-52, -40, -37],
    ...{ by: 'tom', assignees: ['tom'], tags: ['frontend'], hours: 5, spent: 4.5 },
  },
  {
    title: 'Form for contact requests, without a captcha',
    days: [-52, -34, -28],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['frontend'], hours: 6, spent: 8.5, due: -30 },
    comments: [
      {
        by: 'tom',
        on: -29,
        text: 'A hidden field and a minimum time catch nearly all spam. We had three in a week.',
      },
    ],
  },
  {
    title: 'Visit counts without cookies',
    days: [-55, -33, -31],
    ...{ by: 'maya', assignees: ['tom'], tags: ['frontend'], hours: 4, spent: 3 },
  },
  {
    title: 'Logo is blurred on large screens',
    days: [-35, -34, -34],
    ...{ by: 'elif', assignees: ['tom'], tags: ['bug', 'frontend'], priority: 'low', spent: 0.5 },
  },
  {
    title: 'Back button loses the position in the list of articles',
    days: [-29, -27, -25],
    ...{ by: 'priya', assignees: ['tom'], tags: ['bug', 'frontend'], hours: 2, spent: 3 },
  },
  {
    title: 'Search engines index the staging site',
    description: 'A customer found it. `noindex` is missing on everything except the home page.',
    days: [-24, -24, -24],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['bug', 'launch'], priority: 'urgent', spent: 1.5 },
    comments: [{ by: 'tom', on: -24, text: 'Fixed, and staging has a password now.' }],
  },
  {
    title: 'Dates are one day off in the news list',
    days: [-18, -17, -17],
    ...{ by: 'elif', assignees: ['tom'], tags: ['bug', 'frontend'], priority: 'medium', spent: 2 },
    comments: [
      {
        by: 'tom',
        on: -17,
        text: 'Midnight in UTC is the day before in New York. Fixed with a test.',
      },
    ],
  },
  {
    title: 'Keyboard focus is invisible on dark sections',
    days: [-14, -13, -11],
    ...{ by: 'priya', assignees: ['tom'], tags: ['bug', 'frontend'], hours: 2, spent: 1.5 },
  },
  {
    title: 'Form sends twice on a slow connection',
    days: [-10, -6, -5],
    ...{ by: 'maya', assignees: ['tom'], tags: ['bug', 'frontend'], priority: 'high', spent: 2.5 },
  },
  {
    title: 'Menu covers the headline on narrow screens',
    description: 'Seen at 360 px in Firefox and Safari.\n\n1. Open the home page\n2. Open the menu',
    days: [-2],
    ...{ by: 'elif', assignees: ['tom'], tags: ['bug', 'frontend'], priority: 'urgent', due: 0 },
    comments: [
      { by: 'elif', on: -1, text: 'Found it on my own phone. Screenshot follows, {tom}.' },
    ],
  },
  {
    title: 'Umlauts are broken in the confirmation email',
    days: [-3, -1],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['bug'], priority: 'high', due: -1, spent: 1 },
  },
  {
    title: 'Quotation marks in articles are straight',
    days: [-9, -3],
    ...{ by: 'elif', assignees: ['tom'], tags: ['bug', 'content'], priority: 'low', due: 2 },
    ...{ reviewOn: -1, spent: 1 },
  },
  {
    title: 'Prices flicker when the language changes',
    description: 'Only on the first visit, and only in Firefox.',
    days: [-5],
    ...{ by: 'jonas', isBacklog: true, tags: ['bug', 'frontend'], priority: 'low' },
  },
  {
    title: 'Check contrast and keyboard use',
    key: 'accessibility',
    days: [-56],
    ...{
      by: 'maya',
      assignees: ['priya', 'tom'],
      tags: ['frontend', 'launch'],
      start: 11,
      due: 13,
      hours: 10,
    },
    ...{ priority: 'medium', blockedBy: ['build'] },
  },
  {
    title: 'Measure page speed on a slow phone',
    key: 'speed',
    description: 'Goal: readable after 1.5 seconds on the phone from the drawer.',
    days: [-56],
    ...{
      by: 'maya',
      assignees: ['tom'],
      tags: ['frontend', 'launch'],
      start: 12,
      due: 14,
      hours: 6,
    },
    ...{ priority: 'medium', blockedBy: ['build'] },
  },
  {
    title: 'Search within the site',
    days: [-58],
    ...{ by: 'jonas', isBacklog: true, priority: 'low', tags: ['frontend'], hours: 16 },
    comments: [
      { by: 'priya', on: -52, text: 'After the launch, when we know what people look for.' },
    ],
  },
  {
    title: 'Dark mode',
    days: [-38],
    ...{ by: 'tom', isBacklog: true, priority: 'low', tags: ['frontend', 'design'], hours: 10 },
  },
  {
    title: 'Chat bubble in the corner',
    description: 'Nobody asked for it in the interviews.',
    days: [-46],
    ...{ by: 'jonas', assignees: ['jonas'], priority: 'low', canceledOn: -39 },
  },
]
