import type { DemoTask } from '../demo-definitions.ts'

/** The first weeks of the relaunch: what the site is for, and what is on the old one. */
export const DISCOVERY_TASKS: readonly DemoTask[] = [
  {
    title: 'Agree on what the new site is for',
    key: 'brief',
    description: 'One page: who comes, what they look for, what we want them to do next.',
    days: [-84, -83, -78],
    ...{ by: 'maya', assignees: ['maya'], tags: ['content'], priority: 'high' },
    ...{ hours: 8, spent: 9.5, notes: ['Talks with sales and support', 'Write-up'] },
    comments: [
      {
        by: 'maya',
        on: -78,
        text: 'Signed off by sales and support. {jonas}, you can plan with it.',
        replies: [{ by: 'jonas', text: 'Great, thank you. I cut the launch list accordingly.' }],
      },
    ],
  },
  {
    title: 'Interview six customers',
    key: 'interviews',
    description: 'Three who bought this year, three who left. Notes go to the shared folder.',
    days: [-84, -82, -74],
    ...{ assignees: ['jonas', 'maya'], tags: ['content'], due: -75, hours: 12, spent: 14 },
    ...{ notes: ['First two interviews', 'Two more, one by phone', 'Last two, summary'] },
    comments: [
      {
        by: 'jonas',
        on: -76,
        text: 'Four of six said the same: they cannot find the prices. Nobody mentioned the blog.',
        replies: [{ by: 'priya', text: 'That settles the main menu for me.' }],
      },
    ],
  },
  {
    title: 'Take stock of the 140 pages we have',
    key: 'inventory',
    description: '- keep\n- merge\n- let go\n\nTraffic of the last twelve months is in the sheet.',
    days: [-83, -81, -73],
    ...{ assignees: ['elif'], tags: ['content'], hours: 14, spent: 13 },
    ...{ notes: ['Pages A to M', 'Pages N to Z', 'Redirects noted'] },
  },
  {
    title: 'Collect the numbers: visits, searches, sign-ups',
    days: [-83, -82, -80],
    ...{ by: 'maya', assignees: ['tom'], hours: 4, spent: 3.5 },
  },
  {
    title: 'Compare five sites of competitors',
    days: [-82, -80, -76],
    ...{ assignees: ['priya'], tags: ['design'], priority: 'low', hours: 5, spent: 4 },
  },
  {
    title: 'Decide which pages we let go',
    days: [-75, -72, -69],
    ...{ by: 'elif', assignees: ['maya'], tags: ['content'], hours: 3, spent: 2.5 },
    blockedBy: ['inventory'],
    comments: [
      {
        by: 'elif',
        on: -72,
        text: '63 pages had fewer than ten visitors in a year. I would keep two of them: imprint and press.',
      },
    ],
  },
  {
    title: 'Draw the new sitemap',
    key: 'sitemap',
    days: [-75, -72, -68],
    ...{ assignees: ['priya'], tags: ['design'], priority: 'high', hours: 5, spent: 6 },
    blockedBy: ['brief', 'inventory'],
    comments: [
      {
        by: 'priya',
        on: -70,
        text: 'Version 2 has prices in the main menu and support in the footer. {maya}, {jonas}: any objections?',
        replies: [
          { by: 'maya', text: 'None. I like that it fits on one slide.' },
          { by: 'jonas', text: 'Fine with me, sales will be happy.' },
        ],
      },
    ],
  },
  {
    title: 'Test the menu with five people from outside',
    days: [-70, -67, -65],
    ...{ by: 'priya', assignees: ['priya'], tags: ['design'], hours: 6, spent: 5 },
    ...{ blockedBy: ['sitemap'], notes: ['Tree test, five sessions'] },
  },
  {
    title: 'Choose a system to edit the content',
    description: 'Must: drafts, roles, an API. Nice: previews for people without an account.',
    days: [-79, -75, -66],
    ...{ by: 'maya', assignees: ['tom'], priority: 'high', due: -68, hours: 10, spent: 13.5 },
    ...{ notes: ['Read the offers', 'Trial of three', 'Second trial, write-up'], reviewOn: -67 },
    comments: [
      {
        by: 'tom',
        on: -68,
        text: 'The small one wins: everything is a file, and the build takes eleven seconds. It cannot do approval by two people, though.',
        replies: [{ by: 'maya', text: 'We do that in here anyway. Go.' }],
      },
    ],
  },
  {
    title: 'Budget for photos and fonts',
    days: [-77, -73, -71],
    ...{ by: 'priya', assignees: ['maya'], hours: 2, spent: 1.5 },
  },
  {
    title: 'Ask the lawyer about cookies and analytics',
    days: [-74, -69, -62],
    ...{ by: 'tom', assignees: ['jonas'], due: -66, hours: 3, spent: 4 },
    comments: [
      {
        by: 'jonas',
        on: -62,
        text: 'Short answer: without tracking across sites we need no banner. So we go without.',
        replies: [{ by: 'tom', text: 'Best news this month.' }],
      },
    ],
  },
  {
    title: 'Personas for the kick-off',
    description: 'The interviews say enough, nobody would read another deck.',
    days: [-82],
    ...{ by: 'jonas', priority: 'low', tags: ['content'], isBacklog: true, canceledOn: -73 },
  },
]
