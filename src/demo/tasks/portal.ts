import type { DemoTask } from '../demo-definitions.ts'

/** A product that customers use while it grows: small steps, and reports of bugs in between. */
export const PORTAL_TASKS: readonly DemoTask[] = [
  {
    title: 'Customers can download their invoices',
    description: 'The most frequent question to support: “Could you send me the invoice again?”',
    days: [-81, -79, -70],
    ...{ by: 'maya', assignees: ['tom'], tags: ['feature'], priority: 'high', reviewOn: -71 },
    ...{ hours: 16, spent: 18.5, notes: ['List', 'PDF from accounting', 'Rights', 'Tests'] },
    comments: [
      {
        by: 'maya',
        on: -69,
        text: 'Eleven downloads on the first day, and no mail about it since. Well done, {tom}!',
      },
    ],
  },
  {
    title: 'Sign-in fails with an uppercase email address',
    days: [-80, -79, -79],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['bug'], priority: 'high', spent: 1 },
  },
  {
    title: 'Amounts above 10,000 wrap in the invoice list',
    days: [-77, -74, -74],
    ...{ by: 'priya', assignees: ['tom'], tags: ['bug'], priority: 'low', spent: 0.5 },
  },
  {
    title: 'Second factor for administrators',
    days: [-76, -70, -60],
    ...{ by: 'tom', assignees: ['tom'], tags: ['security', 'feature'], due: -62 },
    ...{ hours: 14, spent: 17, reviewOn: -61, notes: ['Codes', 'Recovery', 'Review findings'] },
  },
  {
    title: 'Answer the security questionnaire of Halden',
    days: [-73, -68, -64],
    ...{ by: 'maya', assignees: ['jonas'], tags: ['security', 'support'], hours: 4, spent: 5 },
  },
  {
    title: 'Session ends while a form is being filled',
    days: [-68, -66, -64],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['bug'], priority: 'medium', spent: 3, hours: 2 },
  },
  {
    title: 'Customers see the state of their requests',
    days: [-66, -60, -48],
    ...{ by: 'maya', assignees: ['tom', 'priya'], tags: ['feature'], hours: 20, spent: 23 },
    ...{ reviewOn: -50, due: -50, notes: ['States and texts', 'Page', 'Notifications', 'Polish'] },
    comments: [
      {
        by: 'priya',
        on: -58,
        text: 'Four states are enough: received, in progress, waiting for you, done.',
        replies: [{ by: 'jonas', text: '“Waiting for you” will save us so many calls.' }],
      },
    ],
  },
  {
    title: 'Name and address can be changed by the customer',
    days: [-59, -52, -46],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['feature', 'support'], hours: 8, spent: 7 },
  },
  {
    title: 'Restore test of the database backup',
    days: [-57, -53, -53],
    ...{ by: 'tom', assignees: ['tom'], tags: ['security'], hours: 3, spent: 2.5 },
    comments: [
      {
        by: 'tom',
        on: -53,
        text: '14 minutes from nothing to a working copy. The notes are in the wiki.',
      },
    ],
  },
  {
    title: 'Emails land in spam at two customers',
    days: [-55, -54, -50],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['bug', 'support'], priority: 'high', spent: 4 },
    comments: [
      { by: 'tom', on: -50, text: 'DKIM had expired with the old domain. Delivered again.' },
    ],
  },
  {
    title: 'Upload of contracts, with a check for viruses',
    days: [-66, -45, -35],
    ...{ by: 'maya', assignees: ['tom'], tags: ['feature', 'security'], hours: 18, spent: 16 },
    ...{ reviewOn: -36, notes: ['Upload', 'Scanner', 'Limits and errors'] },
  },
  {
    title: 'Download hangs at 99 % in Safari',
    days: [-43, -42, -41],
    ...{ by: 'priya', assignees: ['tom'], tags: ['bug'], priority: 'medium', spent: 2.5 },
  },
  {
    title: 'Update all dependencies',
    days: [-41, -39, -38],
    ...{ by: 'tom', assignees: ['tom'], tags: ['security'], hours: 3, spent: 3.5 },
  },
  {
    title: 'Help texts beside each field',
    days: [-59, -32, -24],
    ...{ by: 'priya', assignees: ['priya'], tags: ['support'], hours: 6, spent: 5.5 },
  },
  {
    title: 'Export of all invoices of a year',
    days: [-66, -24, -17],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['feature'], hours: 7, spent: 8, reviewOn: -18 },
  },
  {
    title: 'Two customers with the same name see one logo',
    days: [-28, -26, -26],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['bug'], priority: 'high', spent: 1.5 },
  },
  {
    title: 'Dashboard for support: open requests by age',
    days: [-56, -20, -10],
    ...{ by: 'maya', assignees: ['priya', 'tom'], tags: ['feature', 'support'], hours: 12 },
    ...{ spent: 13, reviewOn: -11 },
    comments: [
      {
        by: 'jonas',
        on: -9,
        text: 'We closed nine old requests in one afternoon, just because we saw them.',
      },
    ],
  },
  {
    title: 'Password reset link works twice',
    description: 'Found by a customer. Low risk, the link expires after an hour; fix it anyway.',
    days: [-19, -19, -18],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['bug', 'security'], priority: 'urgent', spent: 3 },
  },
  {
    title: 'Timeouts while invoices are created at the end of the month',
    days: [-15, -12, -8],
    ...{ by: 'maya', assignees: ['tom'], tags: ['bug'], priority: 'high', hours: 5, spent: 6 },
    comments: [
      {
        by: 'tom',
        on: -9,
        text: 'One query read every invoice ever. With an index it takes 8 ms instead of 4 seconds.',
      },
    ],
  },
  {
    title: 'Rename “tickets” to “requests” everywhere',
    days: [-45, -4, -3],
    ...{
      by: 'priya',
      assignees: ['priya'],
      tags: ['support'],
      priority: 'low',
      hours: 2,
      spent: 2,
    },
  },
  {
    title: 'Portal in German and French',
    key: 'languages',
    days: [-60, -13],
    ...{ by: 'maya', assignees: ['priya', 'jonas'], tags: ['feature'], start: -13, due: 9 },
    ...{ hours: 24, spent: 11, notes: ['Texts collected', 'German, first half'] },
  },
  {
    title: 'Find a native speaker to check the French texts',
    ...{ parent: 'languages', days: [-7], due: -3, by: 'priya', assignees: ['maya'] },
    priority: 'medium',
    comments: [
      { by: 'priya', on: -2, text: '{maya}, did your former colleague from Lyon answer?' },
    ],
  },
  {
    title: 'Notify customers 14 days before a contract ends',
    days: [-52, -4],
    ...{
      by: 'jonas',
      assignees: ['tom'],
      tags: ['feature'],
      start: -4,
      due: 8,
      hours: 10,
      spent: 4,
    },
  },
  {
    title: 'Terms for the customer portal, version 2',
    days: [-44, -3],
    ...{ by: 'jonas', assignees: ['maya'], tags: ['support'], due: 4, hours: 3, spent: 1.5 },
    reviewOn: -1,
  },
  {
    title: 'Date filter forgets its value after a reload',
    days: [-4],
    ...{ by: 'jonas', assignees: ['priya'], tags: ['bug'], priority: 'medium', due: 2, hours: 2 },
  },
  {
    title: 'Prepare the numbers for the meeting on Monday',
    days: [-1],
    ...{ by: 'maya', assignees: ['maya'], tags: ['support'], priority: 'high', due: 0, hours: 1 },
  },
  {
    title: 'Sign-in with the customer’s own accounts',
    days: [-45],
    ...{ by: 'maya', isBacklog: true, tags: ['feature', 'security'], hours: 30 },
  },
  {
    title: 'App for phones',
    description: 'The portal works well on a phone. We ask again when a customer does.',
    days: [-62],
    ...{ by: 'jonas', isBacklog: true, tags: ['feature'], priority: 'low', canceledOn: -48 },
  },
  {
    title: 'Shorter sessions for administrators',
    days: [-63, -33, -32],
    ...{ by: 'tom', assignees: ['tom'], tags: ['security'], hours: 2, spent: 1.5 },
  },
  {
    title: 'Customers see when and where they signed in',
    days: [-64, -29, -27],
    ...{ by: 'tom', assignees: ['tom'], tags: ['security', 'feature'], hours: 6, spent: 5 },
  },
  {
    title: 'Rate limit for password resets',
    days: [-46, -16, -16],
    ...{ by: 'tom', assignees: ['tom'], tags: ['security'], hours: 2, spent: 2 },
  },
  {
    title: 'Page for planned maintenance',
    days: [-51, -13, -12],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['support'], hours: 2, spent: 2.5 },
  },
  {
    title: 'Due date in the list of invoices',
    days: [-49, -11, -10],
    ...{ by: 'jonas', assignees: ['tom'], tags: ['feature'], hours: 2, spent: 1.5 },
  },
  {
    title: 'Show the contact person on the start page',
    days: [-48, -4, -2],
    ...{ by: 'maya', assignees: ['priya'], tags: ['feature', 'support'], hours: 4, spent: 3.5 },
    comments: [
      {
        by: 'jonas',
        on: -2,
        text: 'Two customers wrote that they like to see a face. One asked for a better photo of me.',
      },
    ],
  },
  {
    title: 'Close the accounts of customers who left last year',
    days: [-47, -2, -1],
    ...{ by: 'tom', assignees: ['jonas'], tags: ['security'], hours: 3, spent: 2 },
  },
]
