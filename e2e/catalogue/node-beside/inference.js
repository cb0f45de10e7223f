export class App {
  async run({ text, repeat = 1 }) {
    return { text: text.repeat(repeat) }
  }
}
