import type { DemoTask } from '../demo-definitions.ts'

/** Design of the new site, from the colors to the last template. */
export const DESIGN_TASKS: readonly DemoTask[] = [
  {
    title: 'Two directions for the look',
    days: [-71, -68, -63],
    ...{ by: 'maya', assignees: ['priya'], tags: ['design'], hours: 14, spent: 16 },
    ...{ notes: ['Mood and type', 'Home page, direction A', 'Direction B'], due: -64 },
    comments: [
      {
        by: 'maya',
        on: -64,
        text: 'Direction B. It looks like us, A looks like a bank.',
        replies: [{ by: 'tom', text: 'B also needs only one font file.' }],
      },
    ],
  },
  {
    title: 'Colors that pass contrast in light and dark',
    days: [-66, -62, -59],
    ...{ by: 'priya', assignees: ['priya'], tags: ['design'], hours: 5, spent: 4.5 },
  },
  {
    title: 'Type scale and spacing',
    days: [-66, -61, -58],
    ...{ by: 'priya', assignees: ['priya'], tags: ['design'], hours: 4, spent: 4 },
  },
  {
    title: 'Icons: 24 of them, one stroke width',
    days: [-64, -57, -52],
    ...{ by: 'priya', assignees: ['priya'], tags: ['design'], priority: 'low', hours: 8, spent: 7 },
  },
  {
    title: 'Design the page templates',
    key: 'design',
    description:
      'Six templates carry the whole site. **Mobile first**: two thirds read on a phone.',
    days: [-60, -56],
    ...{ by: 'maya', assignees: ['priya'], tags: ['design'], priority: 'high' },
    ...{ start: -56, due: -6, postponed: { on: -9, due: 4 }, hours: 40, spent: 12 },
    blockedBy: ['sitemap'],
    comments: [
      {
        by: 'jonas',
        on: -22,
        text: 'The article template reads beautifully. Could the price table breathe a little more?',
        replies: [
          { by: 'priya', text: 'Yes: next version tomorrow. {tom}, does it fit your grid?' },
          { by: 'tom', text: 'It does, 12 columns are enough.' },
        ],
      },
      {
        by: 'priya',
        on: -9,
        text: 'Two templates are left, and I was out sick for three days. {maya}, I moved the date by ten days.',
        replies: [{ by: 'maya', text: 'No problem, the build has enough to do until then.' }],
      },
    ],
  },
  {
    title: 'Template: home page',
    ...{ parent: 'design', key: 'home design', days: [-60, -55, -47], reviewOn: -49 },
    ...{ by: 'priya', assignees: ['priya'], tags: ['design'], hours: 10, spent: 11.5 },
    notes: ['Sketches', 'Large and small screen'],
    comments: [
      {
        by: 'maya',
        on: -49,
        text: 'The headline could be shorter, everything else is spot on.',
        replies: [{ by: 'elif', text: 'I have a version with five words, will post it here.' }],
      },
    ],
  },
  {
    title: 'Template: article',
    ...{ parent: 'design', days: [-60, -46, -40], reviewOn: -42 },
    ...{ by: 'priya', assignees: ['priya'], tags: ['design'], hours: 6, spent: 5.5 },
  },
  {
    title: 'Template: service page',
    ...{ parent: 'design', days: [-60, -40, -33], reviewOn: -34 },
    ...{ by: 'priya', assignees: ['priya'], tags: ['design'], hours: 6, spent: 8 },
  },
  {
    title: 'Template: prices',
    ...{ parent: 'design', days: [-60, -25], reviewOn: -3, due: 1 },
    ...{ by: 'priya', assignees: ['priya', 'jonas'], tags: ['design'], hours: 8, spent: 9.5 },
    notes: ['First version', 'Second version, after the talk with sales'],
    comments: [
      {
        by: 'priya',
        minutesAgo: 150,
        text: '{maya}, the third plan now has its own column. Could you look at it today? Then {tom} can start tomorrow.',
      },
    ],
  },
  {
    title: 'Template: sign-up form',
    ...{ parent: 'design', days: [-60, -4], due: 3, hours: 5, spent: 3.5 },
    ...{ by: 'priya', assignees: ['priya'], tags: ['design'], runningMinutes: 35 },
    notes: ['Fields and order', 'Error messages'],
  },
  {
    title: 'Template: page not found',
    ...{ parent: 'design', days: [-60], due: 4, hours: 2, priority: 'low' },
    ...{ by: 'priya', assignees: ['priya'], tags: ['design'] },
  },
  {
    title: 'Pictures for sharing on social media',
    days: [-60, -31, -27],
    ...{ by: 'elif', assignees: ['priya'], tags: ['design'], priority: 'low', hours: 4, spent: 3 },
  },
  {
    title: 'Empty states and loading states',
    days: [-50, -17, -9],
    ...{ by: 'tom', assignees: ['priya'], tags: ['design'], hours: 6, spent: 6.5, reviewOn: -10 },
  },
  {
    title: 'Motion: what moves, and what does not',
    description: 'Everything below 200 ms, nothing for people who prefer reduced motion.',
    days: [-50, -12, -5],
    ...{ by: 'priya', assignees: ['priya', 'tom'], tags: ['design', 'frontend'] },
    ...{ hours: 4, spent: 4.5 },
    comments: [
      {
        by: 'tom',
        on: -5,
        text: 'With reduced motion the menu now simply appears. It feels faster, too.',
      },
    ],
  },
  {
    title: 'Print styles for the price list',
    days: [-44, -4, -3],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['frontend'], priority: 'low', hours: 3, spent: 2 },
  },
  {
    title: 'Animated illustration for the home page',
    description: 'Nice, but 400 kB on a phone are not.',
    days: [-51],
    ...{ by: 'priya', tags: ['design'], priority: 'low', isBacklog: true, canceledOn: -44 },
    comments: [
      { by: 'tom', on: -45, text: 'That is more than all the rest of the page together.' },
    ],
  },
]
