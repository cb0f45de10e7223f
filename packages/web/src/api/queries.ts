// Query keys: the name of the operation and its arguments, so that streams and mutations find them.
import type { CallArguments, CallName, CallOptions, InputOf, ReplyOf } from '@millrace/contract/call'
import { queryOptions } from '@tanstack/react-query'
import { call } from './call.ts'

/** The first part of a name, such as `tasks` of `tasks.list`, shared by lists and single reads of a resource. */
const resourceOf = (name: CallName): string => name.split('.')[0] ?? name

type CallQuery<N extends CallName> = (
  name: N,
  input: InputOf<N> | undefined,
  options: CallOptions,
) => Promise<ReplyOf<N>>

export const read = <N extends CallName>(name: N, ...[input]: CallArguments<N>) =>
  queryOptions({
    queryKey: input === undefined ? [resourceOf(name), name] : [resourceOf(name), name, input],
    queryFn: ({ signal }) => (call as CallQuery<N>)(name, input, { signal }),
  })
