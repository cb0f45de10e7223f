// A chat beside the editor: the first words begin it, and a new one begins with the version that is current then.
import type { Agent } from '@millrace/contract/agents'
import { Link } from '@tanstack/react-router'
import { MessageSquarePlus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMayAct } from '../chats/chat-page.tsx'
import { ChatView } from '../chats/chat-view.tsx'
import { Composer, type Said } from '../chats/composer.tsx'
import { useChat } from '../chats/use-chat.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { notifyProblem } from '../ui/notify.ts'

const Going = ({ chatId }: { chatId: string }) => {
  const live = useChat(chatId)
  const { mayAct } = useMayAct(live.chat)
  return <ChatView live={live} mayAct={mayAct} />
}

const Beginning = ({ agent, onBegun }: { agent: Agent; onBegun: (chatId: string) => void }) => {
  const variables = agent.version?.context ?? []
  const [values, setValues] = useState<Record<string, string>>({})
  const begin = async ({ text, attachments }: Said) => {
    const { user_message } = await call('agents.run', {
      body: {
        agent_id: agent.id,
        input: { text, ...(attachments.length > 0 ? { attachments } : {}) },
        ...(Object.keys(values).length > 0 ? { context: values } : {}),
      },
    })
    onBegun(user_message.chat_id)
  }
  const examples = agent.version?.example_prompts ?? []
  return (
    <div className="flex min-h-0 grow flex-col justify-end gap-3 overflow-y-auto px-4 pb-4">
      {variables.map(({ name, description, required, default: given }) => (
        <TextField
          key={name}
          label={name}
          help={description}
          required={required ?? false}
          placeholder={given ?? ''}
          value={values[name] ?? ''}
          onChange={(event) => setValues({ ...values, [name]: event.target.value })}
        />
      ))}
      <ul className="flex flex-wrap gap-2">
        {examples.map((example) => (
          <li key={example}>
            <Button
              className="h-auto whitespace-normal py-1 text-left"
              onClick={() => void begin({ text: example, attachments: [] }).catch(notifyProblem)}
            >
              {example}
            </Button>
          </li>
        ))}
      </ul>
      <Composer onSend={begin} placeholder={`Write to ${agent.title || agent.name}`} />
    </div>
  )
}

export const TryAgent = ({ agent }: { agent: Agent }) => {
  const [chatId, setChatId] = useState<string | null>(null)
  return (
    <section aria-label="Try it" className="flex min-h-96 min-w-0 flex-col bg-surface lg:min-h-0 lg:border-l">
      <div className="flex h-11 shrink-0 items-center gap-2 border-b px-4">
        <h2 className="grow font-medium">Try it</h2>
        {chatId === null ? null : (
          <>
            <Link to="/chats/$id" params={{ id: chatId }} className="text-accent hover:underline">
              Open the chat
            </Link>
            <Button look="quiet" label="New chat" onClick={() => setChatId(null)}>
              <MessageSquarePlus aria-hidden />
            </Button>
          </>
        )}
      </div>
      {chatId === null ? <Beginning agent={agent} onBegun={setChatId} /> : <Going key={chatId} chatId={chatId} />}
    </section>
  )
}
