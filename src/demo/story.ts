import type { Scene } from './cast.ts'

const scene = (title: string, ...parts: Omit<Scene, 'title'>[]): Scene =>
  Object.assign({ title }, ...parts)

/** The tasks of the demo project, in the order in which they stand. What is named stands before. */
export const STORY: readonly Scene[] = [
  scene(
    'Agree on what the new site is for',
    { key: 'brief' },
    { description: 'One page: who comes, what they look for, what we want them to do next.' },
    { done: true, priority: 'high', who: ['maya'], labels: ['content'], hours: 6 },
    {
      said: [
        {
          by: 'maya',
          text: 'Signed off by sales and support. {jonas}, you can plan with it.',
          replies: [{ by: 'jonas', text: 'Great, thank you. I cut the launch list accordingly.' }],
        },
      ],
    },
    { spent: [{ by: 'maya', hours: 4.5, daysAgo: 18, note: 'Interviews and write-up' }] },
  ),
  scene(
    'Take stock of the 140 pages we have',
    { key: 'inventory' },
    {
      description:
        '- keep\n- merge\n- let go\n\nTraffic of the last twelve months is in the sheet.',
    },
    { done: true, who: ['elif'], labels: ['content'], hours: 12 },
    {
      spent: [
        { by: 'elif', hours: 6, daysAgo: 16, billable: true },
        { by: 'elif', hours: 5, daysAgo: 15, billable: true, note: 'Redirects noted' },
      ],
    },
  ),
  scene(
    'Draw the new sitemap',
    { key: 'sitemap' },
    { done: true, who: ['priya'], labels: ['design'], after: ['brief', 'inventory'], hours: 5 },
  ),
  scene(
    'Design the page templates',
    { key: 'design' },
    {
      description:
        'Five templates carry the whole site. **Mobile first**: two thirds read on a phone.',
    },
    { status: 'in_progress', priority: 'high', who: ['priya'], labels: ['design'] },
    { start: -8, due: 4, hours: 40, after: ['sitemap'] },
    {
      said: [
        {
          by: 'jonas',
          text: 'The article template reads beautifully. Could the price table breathe a little more?',
          replies: [
            { by: 'priya', text: 'Yes: next version tomorrow. {tom}, does it fit your grid?' },
            { by: 'tom', text: 'It does, 12 columns are enough.' },
          ],
        },
      ],
    },
  ),
  scene(
    'Template: home page',
    { parent: 'design', done: true, who: ['priya'], labels: ['design'] },
    { spent: [{ by: 'priya', hours: 6.25, daysAgo: 6 }] },
  ),
  scene(
    'Template: article',
    { parent: 'design', done: true, who: ['priya'], labels: ['design'] },
    { spent: [{ by: 'priya', hours: 4, daysAgo: 5 }] },
  ),
  scene(
    'Template: prices',
    { parent: 'design', status: 'in_review', who: ['priya', 'jonas'], labels: ['design'], due: 1 },
    { spent: [{ by: 'priya', hours: 3.5, daysAgo: 1, note: 'Second version' }] },
  ),
  scene(
    'Template: sign-up form',
    { parent: 'design', status: 'in_progress', who: ['priya'], labels: ['design'], due: 3 },
    { spent: [{ by: 'priya', runningMinutes: 35, note: 'Error messages' }] },
  ),
  scene('Template: page not found', {
    parent: 'design',
    status: 'todo',
    priority: 'low',
    labels: ['design'],
    due: 4,
  }),
  scene(
    'Build the templates',
    { key: 'build' },
    { status: 'in_progress', priority: 'high', who: ['tom'], labels: ['frontend'] },
    { start: -2, due: 12, hours: 60 },
    {
      spent: [
        { by: 'tom', hours: 5, daysAgo: 2 },
        { by: 'tom', hours: 6.5, daysAgo: 1, note: 'Home page, header, footer' },
      ],
    },
  ),
  scene(
    'Menu covers the headline on narrow screens',
    { due: 0 },
    {
      description:
        'Seen at 360 px in Firefox and Safari.\n\n1. Open the home page\n2. Open the menu',
    },
    { by: 'elif', status: 'todo', priority: 'urgent', who: ['tom'], labels: ['bug', 'frontend'] },
    { said: [{ by: 'elif', text: 'Found it on my own phone. Screenshot follows, {tom}.' }] },
  ),
  scene(
    'Write the texts of the ten main pages',
    { key: 'texts' },
    { status: 'in_progress', priority: 'high', who: ['elif', 'maya'], labels: ['content'] },
    { start: -5, due: 6, hours: 30, after: ['sitemap'] },
    { spent: [{ by: 'elif', hours: 7, daysAgo: 3, billable: true, note: 'About us, services' }] },
  ),
  scene(
    'Prices page: wording with sales',
    { parent: 'texts', status: 'in_progress', who: ['maya'], labels: ['content'], due: -1 },
    { said: [{ by: 'maya', text: 'Sales answer on Thursday. Until then with the old names.' }] },
  ),
  scene('Photos of the team', {
    parent: 'texts',
    status: 'todo',
    who: ['jonas'],
    labels: ['content'],
    due: 5,
  }),
  scene(
    'Redirect the old addresses',
    { key: 'redirects', after: ['inventory', 'build'] },
    { status: 'todo', who: ['tom'], labels: ['frontend', 'launch'], due: 14, hours: 8 },
  ),
  scene(
    'Choose who sends our newsletter',
    { description: 'Three offers; data must stay in Europe.' },
    { status: 'in_review', priority: 'medium', who: ['jonas'], due: -2, hours: 4 },
    { said: [{ by: 'jonas', text: 'Two are left. {maya}, which budget does it come from?' }] },
  ),
  scene(
    'Check contrast and keyboard use',
    { status: 'todo', priority: 'medium', who: ['priya', 'tom'], labels: ['frontend'] },
    { due: 13, hours: 10, after: ['build'] },
  ),
  scene(
    'Measure page speed on a slow phone',
    { after: ['build'] },
    { status: 'todo', priority: 'medium', who: ['tom'], labels: ['frontend'], due: 15 },
  ),
  scene('Weekly review with everybody', {
    status: 'todo',
    who: ['jonas'],
    due: 2,
    hours: 1,
    rrule: 'FREQ=WEEKLY',
  }),
  scene(
    'Launch',
    { key: 'launch' },
    { description: 'A quiet Tuesday morning. Everybody stays within reach until noon.' },
    { status: 'backlog', priority: 'urgent', who: ['maya', 'jonas'], labels: ['launch'] },
    { due: 21, after: ['texts', 'build', 'redirects'] },
  ),
  scene('Lower the lifetime of the DNS records', { parent: 'launch', due: 19, who: ['tom'] }),
  scene('Tell the press', { parent: 'launch', due: 20, who: ['maya'], labels: ['content'] }),
  scene('Watch the error log for a day', { parent: 'launch', due: 22, who: ['tom', 'jonas'] }),
  scene(
    'Search within the site',
    { status: 'backlog', priority: 'low', labels: ['frontend'], hours: 16 },
    { said: [{ by: 'priya', text: 'After the launch, when we know what people look for.' }] },
  ),
  scene(
    'Chat bubble in the corner',
    { description: 'Nobody asked for it in the interviews.' },
    { status: 'canceled', priority: 'low', who: ['jonas'] },
  ),
]
