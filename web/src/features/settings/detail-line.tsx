import type { ReactNode } from 'react'

/** A line with a word in the gutter and what it stands for beside it. */
export const DetailLine = ({ word, children }: { word: string; children: ReactNode }) => (
  <div className="line">
    <span className="gut word">{word}</span>
    <div>{children}</div>
  </div>
)
