// Guarantees: a published flow with later edits is not shown as published.
import type { Flow } from '@millrace/contract/flows'
import { expect, it } from 'vitest'
import { hasUnpublishedChanges } from './graph-model.ts'

const flow = (draft: number, published?: number) =>
  ({
    draft_version: { graph_version: draft },
    published_version: published === undefined ? null : { graph_version: published },
  }) as Flow

it.each([
  [flow(3, 3), false],
  [flow(4, 3), true],
  [flow(4), false],
])('compares the draft with the published version', (each, changed) =>
  expect(hasUnpublishedChanges(each)).toBe(changed),
)
