import type { DemoTask } from '../demo-definitions.ts'

/** Texts and pictures of the new site, and its launch. */
export const CONTENT_TASKS: readonly DemoTask[] = [
  {
    title: 'How we sound: a page of rules for writing',
    days: [-67, -63, -56],
    ...{ by: 'maya', assignees: ['elif'], tags: ['content'], hours: 6, spent: 7.5 },
    comments: [
      {
        by: 'elif',
        on: -57,
        text: 'Rule one: say “you” more often than “we”. I counted the old home page: 31 to 2 for “we”.',
        replies: [{ by: 'maya', text: 'Ouch. Thank you!' }],
      },
    ],
  },
  {
    title: 'Write the texts of the ten main pages',
    key: 'texts',
    days: [-58, -53],
    ...{ by: 'maya', assignees: ['elif'], tags: ['content', 'launch'], priority: 'high' },
    ...{ start: -53, due: 5, hours: 44, spent: 18, blockedBy: ['sitemap'] },
  },
  {
    title: 'Text: home page',
    ...{ parent: 'texts', days: [-58, -51, -45], reviewOn: -46 },
    ...{ by: 'elif', assignees: ['elif'], tags: ['content'], hours: 5, spent: 6.5 },
  },
  {
    title: 'Text: about us',
    ...{ parent: 'texts', days: [-58, -44, -38], reviewOn: -39 },
    ...{ by: 'elif', assignees: ['elif'], tags: ['content'], hours: 4, spent: 3.5 },
  },
  {
    title: 'Text: services, three pages',
    ...{ parent: 'texts', days: [-58, -37, -26], reviewOn: -29, due: -28 },
    ...{ by: 'elif', assignees: ['elif'], tags: ['content'], hours: 12, spent: 15.5 },
    notes: ['Planning and permits', 'Construction', 'Maintenance, corrections'],
  },
  {
    title: 'Text: customer stories',
    ...{ parent: 'texts', days: [-58, -20, -6], reviewOn: -8 },
    ...{ by: 'elif', assignees: ['elif'], tags: ['content'], hours: 9, spent: 10 },
    comments: [
      {
        by: 'elif',
        on: -9,
        text: 'Both customers have approved their quotes. The second wants the photo with the dog.',
        replies: [{ by: 'maya', text: 'With the dog, obviously.' }],
      },
    ],
  },
  {
    title: 'Text: prices, wording with sales',
    ...{ parent: 'texts', days: [-58, -8], due: -1, hours: 4, spent: 2.5 },
    ...{ by: 'elif', assignees: ['maya'], tags: ['content'], priority: 'high' },
    comments: [
      { by: 'maya', on: -7, text: 'Sales answer on Thursday. Until then with the old names.' },
      {
        by: 'jonas',
        minutesAgo: 95,
        text: '{maya}, sales are fine with “Start, Team, Company”. Only the footnote about VAT is missing.',
      },
    ],
  },
  {
    title: 'Text: imprint and privacy',
    ...{ parent: 'texts', days: [-58, -6], due: 2, hours: 3, spent: 1.5 },
    ...{ by: 'elif', assignees: ['jonas'], tags: ['content'] },
    comments: [
      { by: 'elif', on: -5, text: 'The privacy page still names the old newsletter service.' },
    ],
  },
  {
    title: 'Approve the texts of the home page and services',
    ...{ parent: 'texts', days: [-5, -1], due: 0, hours: 2, priority: 'high' },
    ...{ by: 'elif', assignees: ['maya'], tags: ['content'] },
    comments: [
      {
        by: 'elif',
        on: -1,
        text: '{maya}, both are in the review folder. Comments in the margin, please.',
      },
    ],
  },
  {
    title: 'Photos of the team',
    ...{ parent: 'texts', days: [-58], start: 3, due: 5, hours: 6 },
    ...{ by: 'maya', assignees: ['jonas'], tags: ['content'] },
    comments: [
      { by: 'jonas', on: -8, text: 'The photographer comes next week. Please no stripes.' },
    ],
  },
  {
    title: 'Photos of three finished projects',
    days: [-58, -43, -32],
    ...{ by: 'jonas', assignees: ['jonas'], tags: ['content'], hours: 5, spent: 7, due: -35 },
  },
  {
    title: 'Glossary: 20 words that customers ask about',
    days: [-58, -30, -15],
    ...{ by: 'elif', assignees: ['elif'], tags: ['content'], priority: 'low', hours: 6, spent: 5 },
  },
  {
    title: 'Move 77 articles from the old site',
    days: [-60, -36, -19],
    ...{ by: 'tom', assignees: ['elif', 'tom'], tags: ['content', 'launch'], hours: 16, spent: 19 },
    notes: ['Script for the import', 'First forty', 'Pictures by hand', 'The rest'],
  },
  {
    title: 'Descriptions for all pictures',
    days: [-44, -12, -4],
    ...{ by: 'priya', assignees: ['elif'], tags: ['content'], hours: 5, spent: 4.5 },
  },
  {
    title: 'Choose who sends our newsletter',
    description: 'Three offers; data must stay in Europe.',
    days: [-46, -15],
    ...{ assignees: ['jonas'], priority: 'medium', reviewOn: -4, due: -2, hours: 4, spent: 3 },
    comments: [
      { by: 'jonas', on: -4, text: 'Two are left. {maya}, which budget does it come from?' },
    ],
  },
  {
    title: 'Sign the contract with the new host',
    days: [-12],
    ...{ by: 'tom', assignees: ['maya'], tags: ['launch'], priority: 'high', due: 3, hours: 1 },
    comments: [
      {
        by: 'tom',
        on: -3,
        text: '{maya}, their offer is valid until Friday next week. PDF is in the folder.',
      },
    ],
  },
  {
    title: 'Redirect the old addresses',
    key: 'redirects',
    description: '1,140 addresses, of which 60 carry nine tenths of the traffic. Those by hand.',
    days: [-54, -5],
    ...{ by: 'maya', assignees: ['tom'], tags: ['frontend', 'launch'], start: -5, due: 12 },
    ...{ hours: 8, spent: 3, blockedBy: ['inventory'] },
    comments: [
      {
        by: 'tom',
        text: 'The sixty by hand are done, the rest follows one rule: same name, new folder.',
        replies: [
          { by: 'elif', text: 'Please keep /blog/moving-day, it is printed on our boxes.' },
        ],
      },
    ],
  },
  {
    title: 'Launch',
    key: 'launch',
    description: 'A quiet morning. Everybody stays within reach until noon.',
    days: [-44],
    ...{ by: 'maya', assignees: ['maya', 'jonas'], tags: ['launch'], isBacklog: true },
    ...{ priority: 'urgent', start: 17, due: 18, hours: 8 },
    blockedBy: ['texts', 'build', 'redirects'],
  },
  {
    title: 'Rehearse the switch on staging',
    ...{ parent: 'launch', days: [-44], start: 13, due: 15, hours: 4 },
    ...{ by: 'tom', assignees: ['tom', 'jonas'], tags: ['launch'] },
    blockedBy: ['build', 'redirects'],
  },
  {
    title: 'Lower the lifetime of the DNS records',
    ...{ parent: 'launch', days: [-44], due: 16, assignees: ['tom'], tags: ['launch'] },
  },
  {
    title: 'Tell the press and our partners',
    ...{ parent: 'launch', days: [-44], start: 14, due: 17, hours: 3, tags: ['launch', 'content'] },
    assignees: ['maya'],
  },
  {
    title: 'Watch the error log for a day',
    ...{ parent: 'launch', days: [-44], due: 19, assignees: ['tom', 'jonas'], tags: ['launch'] },
  },
  {
    title: 'Write the announcement for customers',
    days: [-44],
    ...{ by: 'jonas', assignees: ['maya', 'elif'], tags: ['content', 'launch'], start: 2, due: 7 },
    ...{ hours: 3, blockedBy: ['texts'] },
  },
  {
    title: 'Celebrate, and write down what we learned',
    days: [-44],
    ...{ by: 'maya', isBacklog: true, tags: ['launch'], due: 25, hours: 2, assignees: ['maya'] },
  },
]
