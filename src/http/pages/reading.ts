import type { Chapter } from './chapter.ts'
import { html } from './html.ts'

/** Pages, cursors, filters, sorting. */
export const lists = (base: string): Chapter => ({
  id: 'lists',
  title: 'Lists and cursors',
  text: html`
<p>A list answers with a page of 50 records, or as many as <code>limit</code> asks for, 1 to 200. While
<code>has_more</code> is true, send <code>next_cursor</code> back as <code>cursor</code> to read on.</p>
<p>A cursor is a place in the order, not a count. Records that stay as they are come exactly once, however
much is added or deleted around them while you read. It belongs to the list, filters and sorting that it came
from: change one of them and it is <code>invalid_cursor</code>. The limit may change.</p>
<p>Filters narrow together. In a parameter that takes several values, separate them by commas; any of them will
do. Parameters that end in <code>_after</code> and <code>_since</code> include their bound and those in <code>_before</code> do not, so neighbouring
windows neither overlap nor leave a gap. Write the <code>+</code> of an offset as <code>%2B</code>.</p>
<p><code>sort=due_date</code> is ascending, <code>sort=-due_date</code> descending; nulls come last both ways. An unknown
parameter is refused rather than ignored, so a misspelt filter never looks like an empty result.</p>
<p>To keep a copy of everything, follow the <a href="#events">events</a> instead of reading lists again and again.</p>`,
  examples: [
    {
      label: 'Read page by page',
      text: `curl "${base}/api/v1/tasks?assignee_id=me&limit=200" \\\n  -H "Authorization: Bearer $DOCKET_KEY"`,
    },
    {
      label: 'A page',
      text: `{
  "data": [ … ],
  "next_cursor": "eyJ2IjoxLCJrIjpb…",
  "has_more": true
}`,
    },
  ],
})
