class App:
    def run(self, input):
        return {"ran": True}
