import type { ReactNode } from 'react'

/** Where nothing is: one sentence, and one action with its shortcut (`<Button keys="c">`). */
export const Empty = ({ text, children }: { text: ReactNode; children?: ReactNode }) => (
  <div className="line empty">
    <span className="gut">0</span>
    <div className="acts">
      <p>{text}</p>
      {children}
    </div>
  </div>
)
