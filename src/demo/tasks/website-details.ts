import type { DemoTask } from '../demo-definitions.ts'

/** The small tasks beside the large ones, most of them done in a day. */
export const DETAIL_TASKS: readonly DemoTask[] = [
  {
    title: 'RSS feed of the news',
    days: [-57, -38, -38],
    ...{ by: 'tom', assignees: ['tom'], tags: ['frontend'], priority: 'low', hours: 2, spent: 1.5 },
  },
  {
    title: 'Structured data for search engines',
    days: [-53, -23, -22],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['frontend'], hours: 4, spent: 3.5 },
  },
  {
    title: 'Subscribe form in the footer',
    days: [-48, -22, -21],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['frontend'], hours: 3, spent: 4 },
    comments: [
      {
        by: 'jonas',
        on: -21,
        text: 'Tried it with a typo in the address, and it told me what was wrong. Lovely.',
      },
    ],
  },
  {
    title: 'Map on the contact page, without cookies',
    days: [-47, -16, -15],
    ...{ by: 'maya', assignees: ['tom'], tags: ['frontend'], hours: 3, spent: 2 },
  },
  {
    title: 'Text: frequently asked questions',
    days: [-56, -15, -11],
    ...{ by: 'maya', assignees: ['elif'], tags: ['content'], hours: 5, spent: 5.5 },
    notes: ['Fourteen questions from support'],
  },
  {
    title: 'Titles and descriptions of the twenty most visited pages',
    days: [-49, -12, -10],
    ...{ by: 'elif', assignees: ['elif'], tags: ['content'], hours: 4, spent: 3.5 },
  },
  {
    title: 'Price table on a phone: one plan at a time',
    days: [-46, -11, -8],
    ...{ by: 'priya', assignees: ['priya'], tags: ['design'], hours: 4, spent: 5 },
  },
  {
    title: 'Favicon and touch icons',
    days: [-47, -7, -7],
    ...{ by: 'tom', assignees: ['priya'], tags: ['design'], priority: 'low', hours: 1, spent: 1 },
  },
  {
    title: 'Headings in the right order on all templates',
    days: [-45, -3, -2],
    ...{ by: 'priya', assignees: ['tom'], tags: ['frontend'], hours: 2, spent: 2.5 },
  },
]
